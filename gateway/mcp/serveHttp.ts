import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createMcpServer, type McpOptions, type Sdk } from './mcpServer.ts'

const host = '127.0.0.1'
const path = '/mcp'

/** Streamable HTTP for programs and pages of this machine: bound to loopback, closed to foreign names. */
export async function serveHttp(
  sdk: Sdk,
  { port, ...options }: McpOptions & { readonly port: number },
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const handler = sdk.createMcpHandler(() => createMcpServer(sdk, options))
  const server = createServer((incoming, outgoing) => {
    answer(incoming)
      .then((response) => send(response, outgoing))
      // Whoever asked is gone, or what was begun cannot be finished: nothing is left to say.
      .catch(() => outgoing.destroy())
  })
  async function answer(incoming: IncomingMessage): Promise<Response> {
    const request = toRequest(incoming)
    if (new URL(request.url).pathname !== path)
      return new Response(`MCP is served at ${path}\n`, { status: 404 })
    return (
      sdk.hostHeaderValidationResponse(request, sdk.localhostAllowedHostnames()) ??
      sdk.originValidationResponse(request, sdk.localhostAllowedOrigins()) ??
      handler.fetch(request)
    )
  }
  await once(server.listen(port, host), 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://${host}:${taken}${path}`,
    close: async () => {
      await handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function toRequest(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = incoming
  const names = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
  )
  const gone = new AbortController()
  incoming.once('close', () => incoming.complete || gone.abort())
  return new Request(new URL(url, `http://${host}`), {
    method,
    headers: names,
    signal: gone.signal,
    ...(method !== 'GET' &&
      method !== 'HEAD' && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  })
}

async function send({ status, headers, body }: Response, outgoing: ServerResponse) {
  outgoing.writeHead(status, Object.fromEntries(headers))
  if (body) await pipeline(Readable.fromWeb(body), outgoing)
  else outgoing.end()
}
