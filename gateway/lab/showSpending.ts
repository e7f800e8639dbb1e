import { getChain } from '../chain/chains.ts'

type Spent = { calls: number; units: number; usd: number }

const monthSecs = 30 * 24 * 3_600
const timeoutMs = 5_000
const fieldOf: Readonly<Record<string, keyof Spent>> = {
  ['forkyard_upstream_calls_total']: 'calls',
  ['forkyard_upstream_units_total']: 'units',
  ['forkyard_upstream_usd_total']: 'usd',
}

/** What a gateway has asked of each chain's nodes since it started, and of how many a month that would be. */
export function showSpending(metrics: string, nowMs = Date.now()): string {
  const byChain = new Map<string, Spent>()
  let startedSecs = nowMs / 1_000
  for (const line of metrics.split('\n')) {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === 'process_start_time_seconds') startedSecs = Number(value)
    const field = fieldOf[name]
    const chain = /chain="(\d+)"/.exec(labels)?.[1]
    if (!field || !chain || labels.includes('outcome="refused"')) continue
    const spent = byChain.get(chain) ?? { calls: 0, units: 0, usd: 0 }
    spent[field] += Number(value)
    byChain.set(chain, spent)
  }
  const times = monthSecs / Math.max(1, nowMs / 1_000 - startedSecs)
  return [...byChain]
    .map(([id, spent]) => `${getChain(Number(id))?.name ?? id}: ${tell(spent, times)}\n`)
    .join('')
}

function tell({ calls, units, usd }: Spent, times: number): string {
  const show = (count: number) => Math.round(count).toLocaleString('en-US')
  const month = `${show(units * times)} units${usd > 0 ? `, ${(usd * times).toFixed(2)} USD` : ''}`
  return `${show(calls)} calls of its nodes, ${show(units)} units; in a month at this pace ${month}`
}

/** The same of the gateway behind this operators' listener. */
export async function readSpending(opsUrl: string): Promise<string> {
  const response = await fetch(`${opsUrl}/metrics`, { signal: AbortSignal.timeout(timeoutMs) })
  return showSpending(await response.text())
}
