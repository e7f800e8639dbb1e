import autocannon from 'autocannon'

/** An endpoint to be measured; `cpuMicros` reads what its process has used so far, where it can be asked. */
export type HttpTarget = {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** One body, or several that each connection sends in turn, beginning somewhere else. */
  readonly body: string | readonly string[]
  readonly cpuMicros?: (() => Promise<number>) | undefined
}

export type HttpFigures = {
  readonly name: string
  readonly rps: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU of the server per answered request. */
  readonly cpuMicros: number | undefined
  readonly failures: number
}

/**
 * Measures several endpoints in one run: `rounds` times each, taking turns, so that whatever else the
 * machine does meets all of them. The figures of each are those of its best round.
 */
export async function measureHttp(
  targets: readonly HttpTarget[],
  { connections = 32, seconds = 5, rounds = 3 } = {},
): Promise<readonly HttpFigures[]> {
  const best = new Map<string, HttpFigures>()
  for (const target of targets) await warmUp(target, { connections })
  for (let round = 0; round < rounds; round++)
    for (const target of targets) {
      const figures = await fire(target, { connections, seconds })
      const known = best.get(target.name)
      if (!known || figures.rps > known.rps) best.set(target.name, figures)
    }
  return [...best.values()]
}

/** A second of its first body, or each of its bodies once. */
async function warmUp(
  { url, headers, body }: HttpTarget,
  { connections }: { connections: number },
): Promise<void> {
  const until = typeof body === 'string' ? { duration: 1 } : { amount: body.length }
  await autocannon({ ...toOptions({ url, headers, body }, connections), ...until })
}

async function fire(
  { name, url, headers, body, cpuMicros }: HttpTarget,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<HttpFigures> {
  const before = await cpuMicros?.()
  const result = await autocannon({
    ...toOptions({ url, headers, body }, connections),
    duration: seconds,
  })
  const after = await cpuMicros?.()
  const used = before === undefined || after === undefined ? undefined : after - before
  return {
    name,
    rps: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuMicros: used === undefined ? undefined : used / result.requests.total,
    failures: result.non2xx + result.errors + result.timeouts,
  }
}

function toOptions(
  { url, headers, body }: Pick<HttpTarget, 'url' | 'headers' | 'body'>,
  connections: number,
): autocannon.Options {
  const options = {
    url,
    connections,
    method: 'POST' as const,
    headers: { 'content-type': 'application/json', ...headers },
  }
  if (typeof body === 'string') return { ...options, body }
  const requests = body.map((each) => ({ body: each }))
  let clients = 0
  return {
    ...options,
    setupClient: (client: autocannon.Client) => {
      const start = Math.floor((clients++ * requests.length) / connections)
      client.setRequests([...requests.slice(start), ...requests.slice(0, start)])
    },
  }
}
