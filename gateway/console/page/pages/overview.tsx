import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ChainStatus, Health, Status } from '../../../client/wire/routing.ts'
import { Coverage } from '../parts/coverage.tsx'
import { EventLine } from '../parts/eventLine.tsx'
import { Empty, Trouble, Wait } from '../parts/notes.tsx'
import { Scroll } from '../parts/scroll.tsx'
import { adviceFor } from '../state/advice.ts'
import { parseMetrics, quantile, type Sample, sumOf } from '../state/metricsText.ts'
import { usePoll } from '../state/poll.ts'
import { client, gateway, ops } from '../state/session.ts'

const everyMs = 2_000

type Look = {
  readonly health: Health
  readonly status: Status
  readonly samples: readonly Sample[]
  readonly atMs: number
}

async function look(signal: AbortSignal): Promise<Look> {
  const { routing } = client.value ?? {}
  if (!routing) throw new Error('the gateway has not said where its services are')
  const options = { signal }
  const [health, status, text] = await Promise.all([
    routing.health(options),
    routing.status(options),
    ops.metrics(options),
  ])
  return { health, status, samples: parseMetrics(text), atMs: performance.now() }
}

/** What stands how, and what happens. */
export function Overview() {
  const { read, failure } = usePoll(look, { everyMs })
  const before = useSignal<Look | undefined>(undefined)
  const last = useSignal<Look | undefined>(undefined)
  const now = read.value
  useEffect(() => {
    before.value = last.value
    last.value = now
  }, [now, before, last])
  return (
    <>
      {failure.value !== undefined && (
        <Trouble>The gateway does not answer: {failure.value}. Asked again every 2 s.</Trouble>
      )}
      {now ? (
        <>
          <Warnings health={now.health} />
          <Chains now={now} />
          <Traffic now={now} past={before.value} />
          <h2>Pools by DEX</h2>
          {now.status.chains.map((chain) => (
            <Coverage key={chain.chain_id} chain={chain} name={nameOf(chain.chain_id)} />
          ))}
        </>
      ) : (
        failure.value === undefined && <Wait>Reading the state of the chains …</Wait>
      )}
      <EventLine />
    </>
  )
}

const nameOf = (chainId: number) =>
  gateway.value?.chains.find((chain) => chain.chainId === chainId)?.name ?? String(chainId)

function Warnings({ health }: { readonly health: Health }) {
  const { warnings } = health
  return (
    <section aria-label="Warnings">
      {warnings.length === 0 ? (
        <p class="good">Everything works: no warnings.</p>
      ) : (
        <ul class="warnings">
          {warnings.map((warning) => (
            <li key={warning}>
              <strong>{warning}</strong> {adviceFor(warning)}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Chains({ now: { health, status, samples, atMs } }: { readonly now: Look }) {
  return (
    <section aria-label="Chains">
      <h2>Chains</h2>
      <Scroll label="Table of chains">
        <table>
          <thead>
            <tr>
              <th scope="col">Chain</th>
              <th scope="col">State</th>
              <th scope="col">Head</th>
              <th scope="col">Lag</th>
              <th scope="col">Reorgs</th>
              <th scope="col">Pools</th>
              <th scope="col">Tokens</th>
              <th scope="col">Gas price</th>
              <th scope="col">Fork</th>
            </tr>
          </thead>
          <tbody>
            {status.chains.map((chain) => (
              <ChainRow key={chain.chain_id} {...{ chain, health, samples, atMs }} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="small">
        This process uses {health.system.rss_mb} MB and has answered for{' '}
        {Math.floor(health.uptime_secs / 60)} min. {health.quotes.semaphore_available} of{' '}
        {health.quotes.semaphore_total} places for searches are free.
      </p>
    </section>
  )
}

function ChainRow({
  chain,
  health,
  samples,
}: {
  readonly chain: ChainStatus
  readonly health: Health
  readonly samples: readonly Sample[]
}) {
  const id = chain.chain_id
  const fork = health.forks.find(({ chain_id }) => chain_id === id)
  const reorgs = sumOf(samples, 'forkyard_sync_events_total', { chain: String(id), event: 'reorg' })
  return (
    <tr>
      <th scope="row">
        {nameOf(id)} <span class="small">{id}</span>
      </th>
      <td class={chain.status === 'ok' ? 'good' : 'bad'}>{chain.status}</td>
      <td class="figure">{chain.last_sync_block}</td>
      <td class="figure">{chain.sync_lag_ms} ms</td>
      <td class="figure">{reorgs}</td>
      <td class="figure">{chain.pool_count}</td>
      <td class="figure">{chain.token_count}</td>
      <td class="figure" title={`${chain.gas_price_wei} wei`}>
        {toGwei(chain.gas_price_wei)} Gwei
      </td>
      <td class="figure">
        {fork?.ready ? `block ${fork.block_number}, ${fork.age_ms} ms old` : 'none is ready'}
      </td>
    </tr>
  )
}

/** To six digits, rounded down. */
const toGwei = (wei: string) => Math.floor(Number(BigInt(wei) / 1_000n)) / 1_000_000

function Traffic({ now, past }: { readonly now: Look; readonly past: Look | undefined }) {
  if (!past) return <Wait>Counting for {everyMs / 1_000} s …</Wait>
  const secs = (now.atMs - past.atMs) / 1_000
  const perSecond = (name: string, labels: Readonly<Record<string, string>>) =>
    (sumOf(now.samples, name, labels) - sumOf(past.samples, name, labels)) / secs
  const quotes = { service: 'routing', route: '/quote' }
  const took = quantile(
    { now: now.samples, past: past.samples },
    { name: 'forkyard_http_request_duration_seconds', labels: quotes, share: 0.99 },
  )
  const purposes = ['sync', 'relay', 'simulation', 'meta', 'warmUp']
  const limits: Readonly<Record<string, string>> = {
    simulation: 'UPSTREAM_SIMULATION_PER_SECOND',
    meta: 'UPSTREAM_META_PER_SECOND',
    warmUp: 'UPSTREAM_WARM_UP_PER_SECOND',
  }
  const calls = 'forkyard_upstream_calls_total'
  return (
    <section aria-label="Traffic">
      <h2>Traffic</h2>
      <dl class="facts">
        <dt>Quotes per second</dt>
        <dd class="figure">{perSecond('forkyard_http_requests_total', quotes).toFixed(1)}</dd>
        <dt>99 of 100 quotes took at most</dt>
        <dd class="figure">{took === undefined ? 'no quotes just now' : `${took * 1_000} ms`}</dd>
      </dl>
      <Scroll label="Calls of the chains’ nodes">
        <table>
          <caption>Calls of the chains’ nodes per second</caption>
          <thead>
            <tr>
              <th scope="col">For</th>
              <th scope="col">Sent</th>
              <th scope="col">Budget</th>
              <th scope="col">Refused, ever</th>
            </tr>
          </thead>
          <tbody>
            {purposes.map((purpose) => (
              <tr key={purpose}>
                <th scope="row">{purpose}</th>
                <td class="figure">{perSecond(calls, { purpose, outcome: 'sent' }).toFixed(1)}</td>
                <td class="figure">{budgetOf(now.samples, limits[purpose])}</td>
                <td class="figure">{sumOf(now.samples, calls, { purpose, outcome: 'refused' })}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {now.status.chains.length === 0 && <Empty>No chain is configured.</Empty>}
    </section>
  )
}

function budgetOf(samples: readonly Sample[], setting: string | undefined): string {
  if (setting === undefined) return 'as needed'
  const limit = sumOf(samples, 'forkyard_own_limit', { setting })
  return Number.isFinite(limit) ? `${limit} a chain` : 'no bound'
}
