import type { Pool } from '../../../client/wire/routing.ts'
import { usePoll } from '../state/poll.ts'
import { client } from '../state/session.ts'
import { type Range, rangesOf, rangesOfBins } from '../state/ticks.ts'
import { describeToken } from '../state/tokens.ts'
import { Amount } from './amount.tsx'
import { Empty, Trouble, Wait } from './notes.tsx'
import { Scroll } from './scroll.tsx'

const everyMs = 2_000
const mostRanges = 60

/** One pool as quotes use it now. */
export function PoolState({ chainId, id }: { readonly chainId: number; readonly id: string }) {
  const ask = async (signal: AbortSignal) => {
    const { routing } = client.value ?? {}
    return routing?.pool({ chain_id: chainId, address: id }, { signal })
  }
  const { read, failure } = usePoll(ask, { everyMs, key: `${chainId} ${id}` })
  const pool = read.value
  return (
    <section aria-label="Pool">
      <h2>Pool {id.slice(0, 10)}…</h2>
      {failure.value !== undefined && <Trouble>Its state is not told: {failure.value}.</Trouble>}
      {pool ? (
        <>
          <Facts pool={pool} />
          <Held pool={pool} />
        </>
      ) : (
        failure.value === undefined && <Wait>Reading the pool …</Wait>
      )}
    </section>
  )
}

function Facts({ pool }: { readonly pool: Pool }) {
  const { tokens, reserve0, reserve1 } = pool
  const amounts =
    pool.balances ?? (reserve0 !== undefined && reserve1 !== undefined ? [reserve0, reserve1] : [])
  return (
    <dl class="facts">
      <dt>DEX</dt>
      <dd>
        {pool.dex}, {pool.protocol}, fee{' '}
        <span title={`${pool.fee_pips} pips`}>{pool.fee_pips / 100} bps</span>
      </dd>
      <dt>Address</dt>
      <dd class="figure">{pool.address}</dd>
      {tokens.map((token, index) => {
        const { symbol, decimals } = describeToken(pool.chain_id, token)
        const amount = amounts[index]
        return [
          <dt key={`${token} name`}>{symbol}</dt>,
          <dd key={token} class="figure">
            {amount === undefined ? (
              token
            ) : (
              <Amount raw={amount} decimals={decimals} symbol={symbol} />
            )}
          </dd>,
        ]
      })}
      {pool.tick !== undefined && [
        <dt key="tick">Tick</dt>,
        <dd
          key="tick-value"
          class="figure"
          title={`square root of the price: ${pool.sqrt_price_x96} / 2^96`}
        >
          {pool.tick}, spacing {pool.tick_spacing}, liquidity {pool.liquidity}
        </dd>,
      ]}
      <dt>Grade</dt>
      <dd>{pool.grade ?? 'cannot be told'}, for a sale of one native coin’s worth</dd>
      <dt>Swaps seen</dt>
      <dd class="figure">
        {pool.swaps_seen}; changed in block {pool.changed_block}, read at {pool.last_sync_block}
      </dd>
    </dl>
  )
}

/** What a pool holds at which price, where it tells. */
function Held({ pool: { ticks, tick, bins, active_id } }: { readonly pool: Pool }) {
  if (ticks && tick !== undefined) {
    const ranges = rangesOf(ticks, { current: tick, most: mostRanges })
    const all = `${ticks.length} ticks, the ${ranges.length} ranges nearest to the price`
    const label = `Liquidity between ${all}; the range of tick ${tick} stands out`
    return <Ranges ranges={ranges} label={label} what="ticks" />
  }
  if (!bins || active_id === undefined) return null
  const ranges = rangesOfBins(bins, { current: active_id, most: mostRanges })
  const label = `Liquidity of ${bins.length} bins, the ${ranges.length} nearest to the price; bin ${active_id} stands out`
  return <Ranges ranges={ranges} label={label} what="bins" />
}

function Ranges({
  ranges,
  label,
  what,
}: {
  readonly ranges: readonly Range[]
  readonly label: string
  readonly what: 'ticks' | 'bins'
}) {
  if (ranges.length === 0) return <Empty>No liquidity stands between its {what}.</Empty>
  return (
    <Scroll kind="flow" label={what}>
      <svg
        preserveAspectRatio="xMinYMid"
        viewBox={`0 0 ${ranges.length * 16} 200`}
        role="img"
        aria-label={label}
        class="ticks"
      >
        {ranges.map(({ from, to, liquidity, part, isCurrent }, index) => {
          const height = part / 5
          return (
            <rect
              key={from}
              class={isCurrent ? 'token' : 'pool'}
              x={index * 16}
              y={200 - height}
              width={15}
              height={height}
            >
              <title>{`${what} ${from} to ${to}: liquidity ${liquidity}`}</title>
            </rect>
          )
        })}
      </svg>
      <p class="small">{label}.</p>
    </Scroll>
  )
}
