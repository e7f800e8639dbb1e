import { getChain } from '../chain/chains.ts'
import { isRecord } from '../chain/nodes/readReply.ts'

/** Of one chain, as `/metrics` has it; what a chain that is not read yet lacks is absent. */
export type ChainStanding = {
  readonly chain: string
  readonly block?: number
  /** Of that block, by its clock. */
  readonly ageSecs?: number
  /** Since it was last known to be the head. */
  readonly lagSecs?: number
  readonly pools?: number
  /** Of its nodes, since the gateway's start. */
  readonly calls: number
  readonly units: number
  readonly usd: number
  /** At the pace since then. */
  readonly month: { readonly units: number; readonly usd: number }
}
type Counted = {
  calls: number
  units: number
  usd: number
  block?: number
  ageSecs?: number
  lagSecs?: number
  pools?: number
}

const monthSecs = 30 * 24 * 3_600
const timeoutMs = 5_000
const fieldOf: Readonly<Record<string, keyof Counted>> = {
  ['forkyard_upstream_calls_total']: 'calls',
  ['forkyard_upstream_units_total']: 'units',
  ['forkyard_upstream_usd_total']: 'usd',
  ['forkyard_sync_block']: 'block',
  ['forkyard_head_age_seconds']: 'ageSecs',
  ['forkyard_sync_lag_seconds']: 'lagSecs',
  ['forkyard_pools']: 'pools',
}

/** How far each chain is followed, what was asked of its nodes, and of how many a month that would be. */
export function readStandings(metrics: string, nowMs = Date.now()): readonly ChainStanding[] {
  const byChain = new Map<string, Counted>()
  let startedSecs = nowMs / 1_000
  for (const line of metrics.split('\n')) {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === 'process_start_time_seconds') startedSecs = Number(value)
    const field = fieldOf[name]
    const chain = /chain="(\d+)"/.exec(labels)?.[1]
    if (!field || !chain || labels.includes('outcome="refused"')) continue
    const counted = byChain.get(chain) ?? { calls: 0, units: 0, usd: 0 }
    const count = Number(value)
    // Infinite before the chain was first read.
    if (Number.isFinite(count)) counted[field] = (counted[field] ?? 0) + count
    byChain.set(chain, counted)
  }
  const times = monthSecs / Math.max(1, nowMs / 1_000 - startedSecs)
  return [...byChain].map(([id, counted]) => ({
    chain: getChain(Number(id))?.name ?? id,
    ...counted,
    month: { units: counted.units * times, usd: counted.usd * times },
  }))
}

export const showStandings = (standings: readonly ChainStanding[]): string =>
  standings.map((standing) => `${standing.chain}: ${tell(standing)}\n`).join('')

function tell({ block, ageSecs = 0, lagSecs, pools, calls, units, month }: ChainStanding): string {
  const show = (count: number) => Math.round(count).toLocaleString('en-US')
  const followed =
    block === undefined || lagSecs === undefined
      ? 'not read yet'
      : `block ${block}, ${show(ageSecs)} s old, ${lagSecs.toFixed(1)} s behind, ${show(pools ?? 0)} pools`
  const usd = month.usd > 0 ? `, ${month.usd.toFixed(2)} USD` : ''
  const spent = `${show(calls)} calls of its nodes, ${show(units)} units`
  return `${followed}; ${spent}; in a month at this pace ${show(month.units)} units${usd}`
}

export type GatewayStatus = {
  readonly isReady: boolean
  /** Why it is not, and what is amiss though it is. */
  readonly troubles: readonly string[]
  readonly chains: readonly ChainStanding[]
}

/** Of the gateway behind this operators' listener. */
export async function readGatewayStatus(opsUrl: string): Promise<GatewayStatus> {
  const ask = async (path: string) =>
    await fetch(`${opsUrl}${path}`, { signal: AbortSignal.timeout(timeoutMs) })
  const [readiness, metrics] = await Promise.all([ask('/readyz'), ask('/metrics')])
  if (!metrics.ok) throw new Error(`${opsUrl}/metrics answers ${metrics.status}`)
  const told: unknown = await readiness.json()
  const { reasons, warnings } = isRecord(told) ? told : {}
  return {
    isReady: readiness.ok,
    troubles: [reasons, warnings].flat().filter((each) => typeof each === 'string'),
    chains: readStandings(await metrics.text()),
  }
}
