import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RpcCall, RpcOutcome } from '../rpc/rpcBatch.ts'

export type RpcServer = { readonly url: string; readonly close: () => Promise<void> }

const maxBodyBytes = 16 * 1024 * 1024

/** A JSON-RPC endpoint on the loopback interface, batches included, that answers as `answer` does. */
export async function startRpcServer({
  answer,
}: {
  readonly answer: (call: RpcCall) => Promise<RpcOutcome>
}): Promise<RpcServer> {
  async function answerOne(asked: unknown) {
    const { id = null, method, params } = (asked ?? {}) as Record<string, unknown>
    if (typeof method !== 'string')
      return { jsonrpc: '2.0', id, error: { code: -32600, message: 'this is no request' } }
    const outcome = await answer({ method, params: Array.isArray(params) ? params : [] })
    if (outcome.ok) return { jsonrpc: '2.0', id, result: outcome.result ?? null }
    const { code, message, data } = outcome
    const error = { code, message, ...(data === undefined ? {} : { data }) }
    return { jsonrpc: '2.0', id, error }
  }
  async function serve(request: IncomingMessage, response: ServerResponse) {
    const body: unknown = JSON.parse(await readBody(request))
    const answers = Array.isArray(body)
      ? await Promise.all(body.map(answerOne))
      : await answerOne(body)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answers))
  }
  const server = createServer((request, response) => {
    // No web page asks here, and one that found the port would spend somebody's calls.
    if (request.headers.origin !== undefined) return void response.writeHead(403).end()
    serve(request, response).catch(() => response.writeHead(400).end())
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBodyBytes) throw new Error('too large')
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString('utf8')
}
