import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ForkEngine } from './forkEngine.ts'
import { type ForkMethod, type ForkParameter, forkMethods } from './protocol.ts'
import { createSessions, type Session } from './sessions.ts'

export type Simulatord = { readonly url: string; readonly close: () => Promise<void> }

const maxBodyBytes = 4096

/**
 * The supervisor that runs the forks, so that no gateway has to know of engines. It listens on the forks'
 * network only, and answers the JSON-RPC methods of `protocol.ts`.
 */
export async function startSimulatord(
  { forks, log }: { readonly forks: ForkEngine; readonly log: (line: string) => void },
  { port, maxForks }: { readonly port: number; readonly maxForks: number },
): Promise<Simulatord> {
  const swept = await forks.sweep()
  if (swept > 0) log(`removed ${swept} forks of an earlier run`)
  const sessions = createSessions({
    end: ({ forkIds }) => Promise.all([...forkIds].map(forks.stop)).catch(report),
  })
  function report(error: unknown) {
    log(error instanceof Error ? error.message : String(error))
  }

  let starting = 0
  async function startFork(
    session: Session,
    { asked, upstreamHost }: { asked: ForkParameter<'startFork'>; upstreamHost: string },
  ) {
    if (sessions.countForks() + starting >= maxForks) throw new Refusal('too many forks')
    const { session: _, ...request } = asked
    starting += 1
    const fork = await forks.start({ ...request, upstreamHost }, session.noteExit).finally(() => {
      starting -= 1
    })
    session.forkIds.add(fork.id)
    // The gateway may have gone away meanwhile.
    if (session.isOver()) await forks.stop(fork.id)
    return fork
  }

  async function readMemory({ forkIds }: Session): Promise<Readonly<Record<string, number>>> {
    const ids = [...forkIds]
    const held = await Promise.all(ids.map(forks.readMemoryBytes))
    return Object.fromEntries(ids.flatMap((id, at) => (held[at] ? [[id, held[at]]] : [])))
  }

  async function answer(call: Call, { remoteHost, closed }: Caller): Promise<unknown> {
    if (call.method === 'openSession') return sessions.open().id
    const session = sessions.get(call.parameter.session)
    if (!session) throw new Refusal('no such session')
    if (call.method === 'waitForExits') return session.wait(closed)
    if (call.method === 'startFork')
      return startFork(session, { asked: call.parameter, upstreamHost: remoteHost })
    if (call.method === 'readMemory') return readMemory(session)
    const { fork } = call.parameter
    if (!session.forkIds.has(fork)) throw new Refusal('no such fork')
    await forks.stop(fork)
    return true
  }

  async function reply(envelope: unknown, caller: Caller) {
    const { id = null } = Object(envelope)
    try {
      return { jsonrpc: '2.0', id, result: await answer(readCall(envelope), caller) }
    } catch (error) {
      if (!(error instanceof Refusal)) report(error)
      const message = error instanceof Refusal ? error.message : 'the fork did not start'
      return { jsonrpc: '2.0', id, error: { code: -32000, message } }
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    if (request.method === 'GET' && request.url === '/healthz') return response.end('ok')
    if (request.method !== 'POST') return response.writeHead(405).end()
    const closed = new Promise<void>((resolve) => response.once('close', resolve))
    const remoteHost = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    const caller = { remoteHost, closed }
    const body = parse(await readBody(request))
    const replies = Array.isArray(body)
      ? await Promise.all(body.map((envelope) => reply(envelope, caller)))
      : await reply(body, caller)
    response.writeHead(200, { 'content-type': 'application/json' })
    return response.end(JSON.stringify(replies))
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, forks.host, resolve)
  })
  const { port: listening } = server.address() as AddressInfo
  return {
    url: `http://${forks.host}:${listening}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await forks.close()
    },
  }
}

class Refusal extends Error {}

type Caller = { readonly remoteHost: string; readonly closed: Promise<void> }
type Call = {
  [M in ForkMethod]: { readonly method: M; readonly parameter: ForkParameter<M> }
}[ForkMethod]

const ajv = new Ajv2020({ meta: false, validateSchema: false })
const checks = new Map(
  Object.entries(forkMethods).map(([method, schema]) => [method, ajv.compile(schema)]),
)

/** Every method takes one object; without one it is empty. */
function readCall(envelope: unknown): Call {
  const { method, params } = Object(envelope)
  const check = checks.get(method)
  if (!check) throw new Refusal(`methods are ${Object.keys(forkMethods).join(', ')}`)
  const [parameter = {}, ...more] = Array.isArray(params) ? params : []
  if (!check(parameter) || more.length > 0)
    throw new Refusal(`${method}: ${ajv.errorsText(check.errors)}`)
  return { method, parameter } as Call
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // Answered as an envelope without a method.
    return undefined
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk
    if (body.length > maxBodyBytes) return ''
  }
  return body
}
