import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import { errorBody, type RequestIdField } from './handleErrors.ts'
import { type ErrorName, httpError } from './httpError.ts'

/** `close` stops accepting, lets running requests end (at most `graceMs`), then drops the rest. */
export type Listening = {
  readonly url: string
  readonly port: number
  close(options?: { graceMs?: number }): Promise<void>
}

/** Serves an application, with limits on how long a request may take to arrive. */
export async function listen(
  {
    app,
    stopping,
    requestIdField,
  }: { app: Koa; stopping: AbortController; requestIdField: RequestIdField },
  { port, host }: { port: number; host: string },
): Promise<Listening> {
  const server = createServer(
    {
      requestTimeout: 20_000,
      headersTimeout: 10_000,
      keepAliveTimeout: 15_000,
      maxHeaderSize: 32_768,
    },
    app.callback(),
  )
  server.maxRequestsPerSocket = 100_000
  server.on('clientError', (error, socket) => answerUnparsed(error, socket, requestIdField))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const bound = (server.address() as AddressInfo).port
  const name = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : name}:${bound}`,
    port: bound,
    close: ({ graceMs = 5_000 } = {}) => close(server, stopping, graceMs),
  }
}

async function close(server: Server, stopping: AbortController, graceMs: number): Promise<void> {
  // Answers still to come tell their client to open no second request on the connection.
  server.prependListener('request', (_: IncomingMessage, res) =>
    res.setHeader('connection', 'close'),
  )
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  stopping.abort(new Error('the service is stopping'))
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(timer)
}

/** What Node's parser refuses never reaches Koa; it still gets the documented body. */
function answerUnparsed(error: NodeJS.ErrnoException, socket: Duplex, field: RequestIdField): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const name = parserErrors[error.code ?? ''] ?? 'invalidRequest'
  const refusal = httpError(name, name === 'invalidRequest' ? 'this is not valid HTTP' : undefined)
  const body = JSON.stringify(
    errorBody(refusal, { requestId: randomUUID(), requestIdField: field }),
  )
  socket.end(
    `HTTP/1.1 ${refusal.status} Refused\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

const parserErrors: Readonly<Record<string, ErrorName>> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'requestTimeout',
}
