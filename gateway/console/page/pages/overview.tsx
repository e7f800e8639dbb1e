import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ChainStatus, Health, Status } from '../../../client/wire/routing.ts'
import { Coverage } from '../parts/coverage.tsx'
import { EventLine } from '../parts/eventLine.tsx'
import { Empty, Trouble, Wait } from '../parts/notes.tsx'
import { QueryForm, TextField } from '../parts/queryForm.tsx'
import { Table } from '../parts/table.tsx'
import { Lasting } from '../parts/when.tsx'
import { adviceFor } from '../state/advice.ts'
import { group } from '../state/amounts.ts'
import { parseMetrics, quantile, type Sample, sumOf } from '../state/metricsText.ts'
import { usePoll } from '../state/poll.ts'
import { client, nameOf, ops } from '../state/session.ts'

const everyMs = 2_000
const quotaEveryMs = 10_000

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
  const first = useSignal<Look | undefined>(undefined)
  const now = read.value
  useEffect(() => {
    before.value = last.value
    last.value = now
    first.value ??= now
  }, [now, before, last, first])
  return (
    <>
      {failure.value !== undefined && (
        <Trouble>The gateway does not answer: {failure.value}. Asked again every 2 s.</Trouble>
      )}
      {now ? (
        <>
          <Warnings health={now.health} />
          <Chains now={now} first={first.value ?? now} />
          <Forks now={now} />
          <Traffic now={now} past={before.value} />
          <Quota />
          <h2>Pools by DEX</h2>
          {now.status.chains.map((chain) => (
            <Coverage key={chain.chain_id} chain={chain} name={nameOf(chain.chain_id)} />
          ))}
        </>
      ) : (
        failure.value === undefined && <Wait>Reading the state of the chains …</Wait>
      )}
      <QueryForm submit="Show">
        <TextField name="events" label="Events with" isSearch />
      </QueryForm>
      <EventLine />
    </>
  )
}

/** What of the books anybody may want to know at a glance. */
function Quota() {
  const ask = (signal: AbortSignal) => ops.money({ limit: 1 }, { signal })
  const { read, failure } = usePoll(ask, { everyMs: quotaEveryMs })
  const { credited, used } = read.value?.quota ?? {}
  return (
    <section aria-label="Quota">
      <h2>Quota</h2>
      {failure.value !== undefined && <Trouble>The books are not told: {failure.value}.</Trouble>}
      {credited !== undefined && (
        <p>
          <span class="figure">{group(credited)}</span> quotes were sold or given,{' '}
          <span class="figure">{group(used ?? 0)}</span> of them used.
        </p>
      )}
    </section>
  )
}

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

const chainHead = 'Chain,State,#Head,#Block time,#Lag,#Reorgs,#Pools,#Tokens,#Gas price'.split(',')
const forkHead = 'Chain,#Stands at,#Age,#Made so far,#Memory,#Queue'.split(',')

type At = { readonly now: Look }
type Since = At & { readonly first: Look }
type Of = { readonly chain: ChainStatus }

function Chains({ now, first }: Since) {
  const { health, status } = now
  return (
    <section aria-label="Chains">
      <h2>Chains</h2>
      {status.chains.length === 0 && <Empty>No chain is configured.</Empty>}
      <Table label="Table of chains" head={chainHead}>
        {status.chains.map((chain) => (
          <ChainRow key={chain.chain_id} {...{ chain, now, first }} />
        ))}
      </Table>
      <p class="small">
        This process uses {health.system.rss_mb} MB and has answered for{' '}
        <Lasting ms={health.uptime_secs * 1_000} />. {health.quotes.semaphore_available} of{' '}
        {health.quotes.semaphore_total} places for searches are free.
      </p>
    </section>
  )
}

function ChainRow({ chain, now: { samples }, first }: Of & Since) {
  const id = chain.chain_id
  const reorgs = sumOf(samples, 'forkyard_sync_events_total', { chain: String(id), event: 'reorg' })
  return (
    <tr>
      <th scope="row">
        {nameOf(id)} <span class="small">{id}</span>
      </th>
      <td class={chain.status === 'ok' ? 'good' : 'bad'}>{chain.status}</td>
      <td class="figure">{chain.last_sync_block}</td>
      <td class="figure">{blockTime(chain, first)}</td>
      <td class="figure">
        <Lasting ms={chain.sync_lag_ms} />
      </td>
      <td class="figure">{reorgs}</td>
      <td class="figure">{chain.pool_count}</td>
      <td class="figure">{chain.token_count}</td>
      <td class="figure" title={`${chain.gas_price_wei} wei`}>
        {toGwei(chain.gas_price_wei)} Gwei
      </td>
    </tr>
  )
}

/** By the blocks' clocks, of all blocks since the page was opened. */
function blockTime(now: ChainStatus, first: Look): string {
  const then = first.status.chains.find(({ chain_id }) => chain_id === now.chain_id)
  const blocks = now.last_sync_block - (then?.last_sync_block ?? now.last_sync_block)
  const secs = now.last_sync_timestamp - (then?.last_sync_timestamp ?? 0)
  return blocks > 0 ? `${(secs / blocks).toFixed(1)} s` : 'no new block yet'
}

function Forks({ now }: At) {
  return (
    <section aria-label="Forks">
      <h2>Forks</h2>
      <Table label="Simulation forks" head={forkHead}>
        {now.status.chains.map((chain) => (
          <ForkRow key={chain.chain_id} chain={chain} now={now} />
        ))}
      </Table>
    </section>
  )
}

function ForkRow({ chain, now: { health, samples } }: Of & At) {
  const id = chain.chain_id
  const fork = health.forks.find(({ chain_id }) => chain_id === id)
  const ofChain = { chain: String(id) }
  const made = { ...ofChain, event: 'fork_ready' }
  const memory = samples.find(
    ({ name, labels }) => name === 'forkyard_fork_memory_bytes' && labels['chain'] === String(id),
  )?.value
  return (
    <tr>
      <th scope="row">{nameOf(id)}</th>
      <td class={fork?.ready ? 'figure' : 'figure bad'}>
        {fork?.ready ? `block ${fork.block_number}` : 'none is ready'}
      </td>
      <td class="figure">{fork?.ready && <Lasting ms={fork.age_ms} />}</td>
      <td class="figure">{sumOf(samples, 'forkyard_fork_events_total', made)}</td>
      <td class="figure" title={memory === undefined ? undefined : `${memory} bytes`}>
        {memory === undefined ? 'not told' : `${Math.ceil(memory / 1e6)} MB`}
      </td>
      <td class="figure">{sumOf(samples, 'forkyard_fork_running', ofChain)}</td>
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
      <Table
        label="Calls of the chains’ nodes"
        caption="Calls of the chains’ nodes per second"
        head={['For', '#Sent', '#Budget', '#Refused, ever']}
      >
        {purposes.map((purpose) => (
          <tr key={purpose}>
            <th scope="row">{purpose}</th>
            <td class="figure">{perSecond(calls, { purpose, outcome: 'sent' }).toFixed(1)}</td>
            <td class="figure">{budgetOf(now.samples, limits[purpose])}</td>
            <td class="figure">{sumOf(now.samples, calls, { purpose, outcome: 'refused' })}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

function budgetOf(samples: readonly Sample[], setting: string | undefined): string {
  if (setting === undefined) return 'as needed'
  const limit = sumOf(samples, 'forkyard_own_limit', { setting })
  return Number.isFinite(limit) ? `${limit} a chain` : 'no bound'
}
