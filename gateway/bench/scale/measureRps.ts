import autocannon from 'autocannon'
import type { BenchServer } from '../server/startServer.ts'

/** One or more gateways on one database, and the keys it knows. */
export type Stack = {
  readonly name: string
  readonly gateways: readonly BenchServer[]
  readonly keys: readonly string[]
}

export type RpsFigures = {
  readonly name: string
  readonly rps: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU of all gateways of the stack per answered request. */
  readonly cpuMicros: number
  readonly failures: number
}

const connections = 33

/** Takes turns, so that whatever else the machine does meets all; the figures are of each one's best round. */
export async function measureRps(
  stacks: readonly Stack[],
  {
    bodies,
    seconds,
    rounds,
  }: { readonly bodies: readonly string[]; readonly seconds: number; readonly rounds: number },
): Promise<readonly RpsFigures[]> {
  const best = new Map<string, RpsFigures>()
  for (const stack of stacks) await fire(stack, { bodies, seconds: 1 })
  for (let round = 0; round < rounds; round += 1)
    for (const stack of stacks) {
      const figures = await fire(stack, { bodies, seconds })
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
async function fire(
  stack: Stack,
  { bodies, seconds }: { readonly bodies: readonly string[]; readonly seconds: number },
): Promise<RpsFigures> {
  const { name, gateways, keys } = stack
  const before = await readCpuMicros(stack)
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
  const used = (await readCpuMicros(stack)) - before
  const sum = (read: (result: autocannon.Result) => number) =>
    results.reduce((total, result) => total + read(result), 0)
  return {
    name,
    rps: sum((result) => result.requests.average),
    p50Ms: Math.max(...results.map(({ latency }) => latency.p50)),
    p99Ms: Math.max(...results.map(({ latency }) => latency.p99)),
    cpuMicros: used / sum((result) => result.requests.total),
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
