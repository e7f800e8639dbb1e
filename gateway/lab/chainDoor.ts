import {
  Agent,
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { connect } from 'node:net'
import { createSlowLane } from '../../simulator/slowLane.ts'
import { linger } from '../http/linger.ts'
import { createPages, type Pages } from '../http/pages.ts'
import { hideCode } from './hideCode.ts'
import { judgeCalls, judgeSender, type PageAnswer } from './pageCalls.ts'

export type ChainDoor = { readonly rpcUrl: string; close(): Promise<void> }

/** What needs the state of a block. */
const stateRead = /^eth_get(?:StorageAt|Balance|Code|TransactionCount|Account|AccountInfo|Proof)$/
const stateRun = /^(?:eth_(?:call|estimateGas|createAccessList|simulateV1)|debug_traceCall)$/
const maxBodyBytes = 64 * 2 ** 20
const tooLarge: PageAnswer = { status: 413, headers: {} }
const headTags: readonly unknown[] = ['latest', 'pending', undefined, null]

/**
 * Stands before an anvil. Web pages get what `judgePage` lets them; everything else goes through as it comes.
 * Where the anvil forks, what needs the state of a past block goes through one at a time: two at once, of state
 * that it has to fetch first, leave anvil 1.7.1 hanging for good, since the first holds a lock while it
 * waits for its upstream and the second blocks the thread that would end the wait.
 */
export async function openChainDoor({
  anvilUrl,
  port,
  isFork = false,
  pages = createPages({ origins: [] }),
  codeless = [],
}: {
  readonly anvilUrl: string
  readonly port: number
  readonly isFork?: boolean | undefined
  readonly pages?: Pages | undefined
  /** Contracts that are shown without code. */
  readonly codeless?: readonly string[] | undefined
}): Promise<ChainDoor> {
  const hidden = new Set(codeless.map((address) => address.toLowerCase()))
  const oneByOne = createSlowLane()
  const agent = new Agent({ keepAlive: true })
  const to = new URL(anvilUrl)
  async function serve(request: IncomingMessage, response: ServerResponse) {
    const turnAway = (answer: PageAnswer) => {
      linger(request, response)
      give(response, answer)
    }
    // Before its body is read: a stranger's may be of any size.
    const sender = judgeSender(pages, request)
    if (sender.do === 'answer') return turnAway(sender.answer)
    const given = await readAll(request)
    if (given === 'too_large') return turnAway(tooLarge)
    const verdict = sender.isPage ? judgeCalls(given, sender.headers) : { ...sender, body: given }
    if (verdict.do === 'answer') return give(response, verdict.answer)
    const { headers: extra } = verdict
    const body = hideCode(verdict.body, hidden)
    const pass = () => passOn({ agent, to }, { request, response, body, extra })
    await (isFork && isPastRead(body) ? oneByOne(pass) : pass())
  }
  const server = createServer((request, response) => {
    // Whoever asked has left.
    serve(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  // Websockets are passed on as they are: what they call can't be told. So none from pages, nor where code is hidden.
  server.on('upgrade', (request, socket, head) => {
    if (request.headers.origin !== undefined || hidden.size > 0)
      return void socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
    const anvil = connect(Number(to.port), to.hostname, () => {
      anvil.write(toRequestHead(request))
      anvil.write(head)
      anvil.pipe(socket).pipe(anvil)
    })
    anvil.on('error', () => socket.destroy())
    socket.on('error', () => anvil.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  const listening = typeof address === 'object' && address ? address.port : port
  return {
    rpcUrl: `http://127.0.0.1:${listening}`,
    async close() {
      server.closeAllConnections()
      agent.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function passOn(
  { agent, to }: { readonly agent: Agent; readonly to: URL },
  {
    request: { method, url, headers },
    response,
    body,
    extra,
  }: {
    readonly request: IncomingMessage
    readonly response: ServerResponse
    readonly body: Buffer
    readonly extra: Readonly<Record<string, string>>
  },
): Promise<void> {
  return new Promise((resolve) => {
    // Whoever asked hears of a dead anvil as he would without us: his connection ends.
    const fail = () => {
      response.destroy()
      resolve()
    }
    const { 'transfer-encoding': _, ...others } = headers
    const passed = forward(
      {
        host: to.hostname,
        port: to.port,
        agent,
        method,
        path: url,
        headers: { ...others, 'content-length': body.length },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...extra })
        answer.once('error', fail).once('close', resolve).pipe(response)
        // The anvil is done when its answer is read, by whoever asked or by nobody.
        response.once('close', () => answer.resume())
        if (response.destroyed) answer.resume()
      },
    )
    passed.once('error', fail).end(body)
  })
}

function give(response: ServerResponse, { status, headers, body }: PageAnswer): void {
  response.writeHead(status, headers).end(body)
}

async function readAll(request: IncomingMessage): Promise<Buffer | 'too_large'> {
  const chunks: Buffer[] = []
  let size = 0
  const pieces: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false })
  for await (const chunk of pieces) {
    size += chunk.length
    if (size > maxBodyBytes) return 'too_large'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Whether any call of the body reads state, or runs on it, at another block than the head. */
function isPastRead(body: Buffer): boolean {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    return (Array.isArray(parsed) ? parsed : [parsed]).some(
      ({ method, params }: { method?: unknown; params?: unknown }) =>
        (stateRead.test(String(method)) || stateRun.test(String(method))) &&
        !headTags.includes(tagOf(String(method), params)),
    )
  } catch {
    // anvil says what is wrong with it.
    return false
  }
}

function tagOf(method: string, params: unknown): unknown {
  if (!Array.isArray(params)) return undefined
  return params[method === 'eth_getStorageAt' || method === 'eth_getProof' ? 2 : 1]
}

function toRequestHead({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
