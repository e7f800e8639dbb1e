import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { httpError } from './httpError.ts'

export type JsonBody = { readonly value: unknown; readonly text: string }

/**
 * Reads and parses a JSON body of at most `maxBytes`.
 * The text is kept for what must not pass through a float, and for idempotency fingerprints.
 */
export async function readJsonBody(
  req: IncomingMessage,
  { maxBytes }: { readonly maxBytes: number },
): Promise<JsonBody> {
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw httpError('unsupportedEncoding')
  const bytes = await readBytes(req, maxBytes)
  if (bytes.length === 0)
    throw httpError('invalidJson', 'the body is empty; a JSON object is needed')
  if (!isUtf8(bytes)) throw httpError('invalidJson', 'the body is not UTF-8')
  const text = stripByteOrderMark(bytes.toString('utf8'))
  const value = parse(text)
  // JSON.parse makes `__proto__` an own property; it is refused so that no later copy can meet it.
  const isSuspect = text.includes('__proto__') || text.includes('\\u00')
  if (isSuspect && hasProtoKey(value))
    throw httpError('invalidJson', 'the body must not contain a key named __proto__')
  return { value, text }
}

const stripByteOrderMark = (text: string) => (text.startsWith('\uFEFF') ? text.slice(1) : text)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw httpError('invalidJson')
  }
}

function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let length = 0
  const tooLarge = () => httpError('bodyTooLarge', `the body is larger than ${maxBytes} bytes`)
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge())
  const take = (chunk: Buffer) => {
    length += chunk.length
    if (length <= maxBytes) chunks.push(chunk)
    else reject(tooLarge())
  }
  const endedEarly = (cause?: Error) =>
    httpError('invalidJson', 'the body ended early', cause && { cause })
  // The peer is gone before its body was whole: nobody reads the answer, but the promise must end.
  if (req.destroyed) return Promise.reject(endedEarly())
  const finish = () => {
    // At once: `close` follows before who waits is told, and an error costs its stack.
    forget()
    resolve(Buffer.concat(chunks))
  }
  const stop = (cause?: Error) => reject(endedEarly(cause))
  req.on('data', take).on('end', finish).on('close', stop).on('error', stop)
  // A stream's request lives for hours, and these would keep its body with it.
  const forget = () =>
    req.off('data', take).off('end', finish).off('close', stop).off('error', stop)
  promise.catch(forget)
  return promise
}

function hasProtoKey(root: unknown): boolean {
  const stack = [root]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, '__proto__')) return true
    for (const child of Object.values(value)) stack.push(child)
  }
  return false
}
