import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type Koa from 'koa'
import { boundConnections, type ConnectionBound } from './boundConnections.ts'
import type { Endings } from './ending.ts'
import { errorBody, type RequestIdField } from './handleErrors.ts'
import { type ErrorName, httpError } from './httpError.ts'
import type { Log } from './serviceOptions.ts'

export type Closing = {
  /** What still runs after this is told so, and dropped. Default 5,000. */
  readonly graceMs?: number | undefined
  /**
   * So long, requests are taken on connections that are open already, and told to come on no other: one that is
   * closed while a request is on its way to it loses that request. Default 0.
   */
  readonly lingerMs?: number | undefined
}

/** `close` ends streams, stops accepting, lets running requests end, then drops the rest. */
export type Listening = {
  readonly url: string
  readonly port: number
  /** Event streams that are open. */
  openStreams(): number
  close(options?: Closing): Promise<void>
}

/** Serves an application, with limits on how long a request may take to arrive. */
export async function listen(
  {
    app,
    endings,
    requestIdField,
    bound,
    log,
  }: {
    app: Koa
    endings: Endings
    requestIdField: RequestIdField
    bound?: ConnectionBound | undefined
    log: Pick<Log, 'warn'>
  },
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
  if (bound) boundConnections(server, bound)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('clientError', (error, socket) => answerUnparsed(error, socket, requestIdField))
  await open(server, { port, host }).catch((error: NodeJS.ErrnoException) => {
    if (host !== everywhere || !noIpv6.includes(error.code)) throw error
    log.warn({ port }, 'this machine has no IPv6: open at its IPv4 addresses alone')
    return open(server, { port, host: everywhereOfIpv4 })
  })
  const { port: opened } = server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  const isEverywhere = host === everywhere || host === everywhereOfIpv4
  return {
    url: `http://${isEverywhere ? '127.0.0.1' : name}:${opened}`,
    port: opened,
    openStreams: endings.streams.count,
    close: (options = {}) => close({ server, sockets, endings }, options),
  }
}

/** All addresses of a machine, those of IPv4 too. */
const everywhere = '::'
const everywhereOfIpv4 = '0.0.0.0'
const noIpv6: readonly (string | undefined)[] = ['EAFNOSUPPORT', 'EADDRNOTAVAIL']

function open(server: Server, address: { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

const lookEveryMs = 20
const shortTurnMs = 2
/** Where callers come faster than they are taken in, a stop waits for its moment no longer than this. */
const longestWaitMs = 250

/**
 * Until a turn of the loop was short and took nobody in: whoever waited for it has been taken in, one in a turn.
 * The system resets those who still wait when the port is closed, with what they have sent. Who comes while the
 * turn lasts waits unseen, so that it has to be the shorter the less it was waited for.
 */
async function untilNobodyWaits(server: Server): Promise<void> {
  let taken = 0
  server.on('connection', () => {
    taken += 1
  })
  const startedAt = performance.now()
  await nextTurn()
  for (let waited = 0, isQuiet = false; !isQuiet && waited < longestWaitMs; ) {
    const turnAt = performance.now()
    taken = 0
    await nextTurn()
    const endedAt = performance.now()
    waited = endedAt - startedAt
    isQuiet = taken === 0 && endedAt - turnAt < (shortTurnMs * waited) / longestWaitMs
  }
}

async function close(
  { server, sockets, endings }: { server: Server; sockets: ReadonlySet<Socket>; endings: Endings },
  { graceMs = 5_000, lingerMs = 0 }: Closing,
): Promise<void> {
  // Before callers are told to leave their connections: they would wait here for new ones.
  await untilNobodyWaits(server)
  let isClosed = false
  const closed = new Promise<void>((resolve) => {
    // HTTP's own would close what rests now, and with it lose what is on its way.
    NetServer.prototype.close.call(server, () => {
      isClosed = true
      resolve()
    })
  })
  endings.streams.come()
  const timer = setTimeout(() => {
    endings.requests.come()
    server.closeAllConnections()
  }, graceMs)
  const lingersUntil = performance.now() + lingerMs
  while (!isClosed) {
    // Node takes one for idle whose answer is still on its way to who reads slowly, and would cut that off.
    const areAnswered = [...sockets].every(({ writableLength }) => writableLength === 0)
    if (areAnswered && performance.now() >= lingersUntil) server.closeIdleConnections()
    await Promise.race([closed, wait(lookEveryMs, undefined, { ref: false })])
  }
  clearTimeout(timer)
  // Ends its check for slow requests.
  server.close()
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
