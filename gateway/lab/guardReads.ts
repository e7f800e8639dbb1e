import { Agent, createServer, request as forward, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { createSlowLane } from '../../simulator/slowLane.ts'

export type GuardedChain = { readonly rpcUrl: string; close(): Promise<void> }

/** Read in the anvil's own thread; calls run in another. */
const stateRead = /^eth_get(?:StorageAt|Balance|Code|TransactionCount|Account|AccountInfo|Proof)$/
const headTags: readonly unknown[] = ['latest', 'pending', undefined, null]

/**
 * Stands before an anvil that forks, and lets reads of state at a past block through one at a time:
 * two at once, of state that it has to fetch first, leave anvil 1.7.1 hanging for good, since the first
 * holds a lock while it waits for its upstream and the second blocks the thread that would end the wait.
 * Everything else goes through as it comes.
 */
export async function guardReads({
  anvilPort,
  port,
}: {
  readonly anvilPort: number
  readonly port: number
}): Promise<GuardedChain> {
  const oneByOne = createSlowLane()
  const agent = new Agent({ keepAlive: true })
  const server = createServer(async (request, response) => {
    const body = await readAll(request)
    const pass = () =>
      new Promise<void>((resolve) => {
        // Whoever asked hears of a dead anvil as he would without us: his connection ends.
        const fail = () => {
          response.destroy()
          resolve()
        }
        const { method, url, headers } = request
        const to = { host: '127.0.0.1', port: anvilPort, agent, method, path: url, headers }
        const passed = forward(to, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.once('error', fail).once('close', resolve).pipe(response)
        })
        passed.once('error', fail).end(body)
      })
    await (isPastRead(body) ? oneByOne(pass) : pass())
  })
  server.keepAliveTimeout = 60_000
  // Websockets are passed on as they are.
  server.on('upgrade', (request, socket, head) => {
    const anvil = connect(anvilPort, '127.0.0.1', () => {
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

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Whether any call of the body reads state at another block than the head. */
function isPastRead(body: Buffer): boolean {
  if (!body.includes('"eth_get')) return false
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    return (Array.isArray(parsed) ? parsed : [parsed]).some(
      ({ method, params }: { method?: unknown; params?: unknown }) =>
        stateRead.test(String(method)) && !headTags.includes(tagOf(String(method), params)),
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
