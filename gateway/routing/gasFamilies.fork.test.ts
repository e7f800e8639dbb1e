import { getAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { poolOf } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { finishQuote } from './finishQuote.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { type RoutingStand, startRoutingStand } from './testing/routingStand.ts'

/** Pools of each DEX that are tried, both ways. */
const poolsPerDex = Number(process.argv[2] ?? 1)
const mostOff = 0.1
/** Estimated as the real ones, which lend what they take; the world's vaults do not. */
const dearer = ['erc4626', 'aave_v3']
/** Their transfers cost what they like, or round. */
const oddTokens = ['TAX', 'REBASE']
const wholeShare = 1n << 64n

const stands = await Promise.all([8453, 42161].map((chainId) => startRoutingStand({ chainId })))
const s = suite('gas estimates of every family')
s.after(() => Promise.all(stands.map((stand) => stand.close())).then(() => undefined))

function readChain({ routing }: RoutingStand) {
  const [status] = routing.status()
  if (!status?.state) throw new Error('the chain was read')
  return { ...status, state: status.state }
}

/** The first pools of each DEX whose tokens the account holds. */
function choosePools(stand: RoutingStand): readonly PoolRecord[] {
  const odd = new Set(oddTokens.map((symbol) => stand.token(symbol).toLowerCase()))
  const held = new Set(
    Object.keys(stand.funded).flatMap((symbol) =>
      symbol === 'ETH' ? [] : [stand.token(symbol).toLowerCase()],
    ),
  )
  const pools = [...readChain(stand).state.pools.values()].filter(({ tokens }) =>
    tokens.slice(0, 2).every((token) => held.has(token) && !odd.has(token)),
  )
  const byDex = Map.groupBy(pools, ({ dex }) => dex)
  return [...byDex.values()].flatMap((list) => list.slice(0, poolsPerDex))
}

/** A swap through this one pool, quoted and sent: how far the estimate is from the receipt. */
async function tryPool(
  stand: RoutingStand,
  { pool, tokenIn, tokenOut }: { pool: PoolRecord; tokenIn: string; tokenOut: string },
) {
  const { chainId, account, balanceOf } = stand
  const { chain } = readChain(stand)
  const state = await chain.sync.fresh()
  const priced = state && poolOf(state.market, pool.id)
  if (!state || !priced) throw new Error(pool.id)
  const amountIn = (await balanceOf(getAddress(tokenIn))) / 20_000n
  const [i, j] = [priced.tokens.indexOf(tokenIn), priced.tokens.indexOf(tokenOut)]
  const swap = priced.swap(i, j, amountIn)
  if (!swap || swap.amountIn !== amountIn) throw new Error(`${pool.dex} takes ${amountIn}`)
  const { amountOut } = swap
  const ends = { poolId: pool.id, tokenIn, tokenOut, amountIn, amountOut }
  const steps = [{ ...ends, share: wholeShare, path: 0, shareBps: 10_000 }]
  const route: Route = { amountIn, amountOut, gas: 0, steps }
  const quote = await finishQuote(
    {
      chains: new Map(),
      simulator: undefined,
      maxLagMs: Number.POSITIVE_INFINITY,
      now: () => performance.now(),
    },
    {
      chain,
      state,
      route,
      source: 'local',
      parameters: {
        chainId,
        amountIn,
        slippageBps: 50,
        taker: account,
        tokenIn: getAddress(tokenIn),
        tokenOut: getAddress(tokenOut),
      },
    },
  )
  if (!quote?.execution) throw new Error(`${pool.dex} has a payload`)
  const receipt = await stand.submit(quote.execution)
  assert.is(receipt.status, 'success', quote.routePath)
  const off = Number(quote.gasEstimate) / Number(receipt.gasUsed) - 1
  return {
    off: dearer.includes(pool.protocol) ? Math.min(off, 0) : off,
    label: `${quote.routePath}: ${quote.gasEstimate} for ${receipt.gasUsed}`,
  }
}

for (const stand of stands)
  s(
    `are within 10 % of receipts, pool by pool, on ${stand.chainId} [routing/gas-families]`,
    async () => {
      const pools = choosePools(stand)
      const tokens = new Set(pools.flatMap((pool) => pool.tokens.slice(0, 2)))
      await stand.approve([...tokens].map((token) => getAddress(token)))
      const wrong: string[] = []
      for (const pool of pools) {
        const [one = '', other = ''] = pool.tokens
        for (const [tokenIn, tokenOut] of [
          [one, other],
          [other, one],
        ] as const) {
          const { off, label } = await tryPool(stand, { pool, tokenIn, tokenOut })
          if (Math.abs(off) > mostOff) wrong.push(`${(off * 100).toFixed(1)} % ${label}`)
        }
      }
      assert.equal(wrong, [])
      const known = new Set([...readChain(stand).state.pools.values()].map(({ dex }) => dex))
      assert.is(new Set(pools.map(({ dex }) => dex)).size, known.size)
    },
  )

s.run()
