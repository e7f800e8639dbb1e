import autocannon from 'autocannon'
import { readTreeCpuMs } from '../costs/readTreeCpuMs.ts'
import type { BenchServer } from '../server/startServer.ts'

/** One or more gateways on one database, and the keys it knows. */
export type Stack = {
  readonly name: string
  readonly gateways: readonly BenchServer[]
  readonly keys: readonly string[]
  /** PostgreSQL's, where they use one: its process, and how often it has committed. */
  readonly database?: DatabaseMeter | undefined
}

export type DatabaseMeter = { readonly pid: number; readonly readCommits: () => Promise<number> }

export type RpsFigures = {
  readonly name: string
  readonly rps: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU of all gateways of the stack per answered request. */
  readonly cpuMicros: number
  /** Of PostgreSQL, and of who asks: the client shares the machine. */
  readonly databaseMicros: number
  readonly clientMicros: number
  /** Answered requests for each commit of PostgreSQL: how many debits shared one. */
  readonly perCommit: number
  readonly answered: number
  readonly failures: number
}

type Load = {
  readonly bodies: readonly string[]
  readonly seconds: number
  readonly connections: number
}

/** Takes turns, so that whatever else the machine does meets all; the figures are of each one's best round. */
export async function measureRps(
  stacks: readonly Stack[],
  { rounds, ...load }: Load & { readonly rounds: number },
): Promise<readonly RpsFigures[]> {
  const best = new Map<string, RpsFigures>()
  for (const stack of stacks) await fire(stack, { ...load, seconds: 1 })
  for (let round = 0; round < rounds; round += 1)
    for (const stack of stacks) {
      const figures = await fire(stack, load)
      const known = best.get(stack.name)
      if (!known || figures.rps > known.rps) best.set(stack.name, figures)
    }
  return [...best.values()]
}

async function readCpuMicros({ gateways }: Stack): Promise<number> {
  const used = await Promise.all(gateways.map(({ cpuMicros }) => cpuMicros?.() ?? 0))
  return used.reduce((sum, each) => sum + each, 0)
}

/** The same number of connections, shared among the gateways as a proxy would. */
async function fire(stack: Stack, { bodies, seconds, connections }: Load): Promise<RpsFigures> {
  const { name, gateways, keys, database } = stack
  const readMeters = async () => ({
    gateways: await readCpuMicros(stack),
    database: database ? readTreeCpuMs(database.pid) * 1_000 : 0,
    commits: (await database?.readCommits()) ?? 0,
    client: process.cpuUsage().user + process.cpuUsage().system,
  })
  const before = await readMeters()
  const results = await Promise.all(
    gateways.map(({ url }, index) =>
      autocannon({
        url,
        method: 'POST' as const,
        duration: seconds,
        connections: Math.round(connections / gateways.length),
        setupClient: (client) => client.setRequests(toRequests(bodies, keys, index)),
      }),
    ),
  )
  const after = await readMeters()
  const sum = (read: (result: autocannon.Result) => number) =>
    results.reduce((total, result) => total + read(result), 0)
  const answered = sum((result) => result.requests.total)
  return {
    name,
    rps: sum((result) => result.requests.average),
    p50Ms: Math.max(...results.map(({ latency }) => latency.p50)),
    p99Ms: Math.max(...results.map(({ latency }) => latency.p99)),
    cpuMicros: (after.gateways - before.gateways) / answered,
    databaseMicros: (after.database - before.database) / answered,
    clientMicros: (after.client - before.client) / answered,
    perCommit: answered / (after.commits - before.commits),
    answered,
    failures: sum((result) => result.non2xx + result.errors + result.timeouts),
  }
}

let clients = 0
/** Each connection sends all bodies in turn, from another place, with another key each time. */
function toRequests(bodies: readonly string[], keys: readonly string[], index: number) {
  clients += 1
  const start = (clients * 7 + index) % bodies.length
  return [...bodies.slice(start), ...bodies.slice(0, start)].map((body, position) => ({
    body,
    headers: {
      'content-type': 'application/json',
      'x-api-key': keys[(clients + position) % keys.length] ?? '',
    },
  }))
}
