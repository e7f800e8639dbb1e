import { quotePair } from '../../fixtures/nodes/mainnet/families/quotedPair.ts'
import { quiet } from '../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { base } from '../chain/base.ts'
import { createMarket, poolOf } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import type { RoutingChain } from './routingChain.ts'
import { settleIfAnswered } from './settleFound.ts'
import { settleRoute, toLocalMarket, usesQuoted } from './settleRoute.ts'
import { advanceState, createSyncedState, type SyncedState } from './sync/syncedState.ts'
import { holdMainnet } from './testing/mainnet/holdMainnet.ts'
import { createQuotedStand, local, quoted, tokenIn, tokenOut } from './testing/quotedStand.ts'
import { fakeAddress } from './testing/viewNode.ts'

const s = suite('settleRoute')
const pools = new Map([
  ['local', { protocol: 'uniswap_v2' }],
  ['quoted', { protocol: 'fluid' }],
])
const uses = (...poolIds: readonly string[]) =>
  usesQuoted(
    { pools } as unknown as SyncedState,
    { steps: poolIds.map((poolId) => ({ poolId })) } as unknown as Route,
  )

s(
  'only a pool without maths of its own has the chain asked about a route [teeth/uses-quoted]',
  () => {
    assert.not(uses('local'))
    assert.ok(uses('local', 'quoted'))
    assert.not(uses('unknown'))
  },
)

/** A made-up chain with pools of Maverick alone, and what one of them gives as it is followed. */
async function hold() {
  const pace = { ...quiet, blockMs: 2_000 }
  const held = await holdMainnet(base, {
    pools: 4,
    pace,
    shares: [['maverick_v2', 1]],
    blocksBefore: 2,
  })
  const { mainnet, reader, chainClient } = held
  const [made] = mainnet.pools
  const state = reader.current()
  const record = made && state?.pools.get(made.address.toLowerCase())
  const reserves = made && mainnet.book.stateAt(made, mainnet.head().number)
  if (!made || !state || !record || !reserves || !('reserve0' in reserves))
    throw new Error('its pools are followed')
  const [tokenIn = '', tokenOut = ''] = record.tokens
  const amountIn = reserves.reserve0 / 1_000n
  const step = { poolId: record.id, tokenIn, tokenOut, amountIn, amountOut: 1n, share: 1n << 64n }
  const route: Route = {
    amountIn,
    amountOut: 1n,
    gas: 0,
    steps: [{ ...step, path: 0, shareBps: 10_000 }],
  }
  const taxes = { get: () => 0 }
  const chain = { chainId: base.chainId, taxes, chainClient: chainClient.as('simulation') }
  const given = (block: number) => {
    const now = mainnet.book.stateAt(made, block)
    return now && 'reserve0' in now ? quotePair({ pool: made, state: now }, { i: 0, amountIn }) : 0n
  }
  return {
    mainnet,
    given,
    /** Half of what it gave, from the newest block on. */
    trade() {
      const { number } = mainnet.head()
      const now = mainnet.book.stateAt(made, number)
      if (!now || !('reserve0' in now)) throw new Error('it has reserves')
      mainnet.book.change(made, { block: number, state: { ...now, reserve1: now.reserve1 / 2n } })
    },
    async settle() {
      const { market } = state
      const asked = {
        chain: chain as unknown as RoutingChain,
        state,
        market,
        route,
        tokenIn,
        tokenOut,
      }
      return (await settleIfAnswered(asked))?.route.amountOut
    },
    [Symbol.dispose]: held[Symbol.dispose],
  }
}

s('what a route gives is of the very block of its state [nodes/settle-block]', async () => {
  using held = await hold()
  const { mainnet } = held
  const { number } = mainnet.head()
  const before = held.given(number)
  mainnet.mine()
  held.trade()
  assert.ok(before > 0n)
  assert.ok(held.given(number + 1) < before)
  assert.is(await held.settle(), before)
})

s('nothing is settled by a block that took its place [nodes/settle-block]', async () => {
  using held = await hold()
  const { mainnet } = held
  await mainnet.reorg(1)
  held.trade()
  assert.is(await held.settle(), undefined)
})

const { chain: generated } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
const [other, amountIn] = [fakeAddress(77), 10n ** 18n]
const there = { tokenIn, tokenOut }
const back = { tokenIn: tokenOut, tokenOut: tokenIn }
/** As much of it as there is. */
const through = (poolId: string, ends: typeof there | typeof back) => ({
  ...ends,
  poolId,
  amountIn,
  amountOut: amountIn,
  share: 1n << 64n,
  path: 0,
  shareBps: 10_000,
})

/** Two quoted pools, of which either may have more to it, and how often the chain is asked about a route. */
function createPair(own: object = {}, ofOther: object = own) {
  const stand = createQuotedStand(generated, { missingBps: 50n })
  const record = stand.state.pools.get(quoted) as PoolRecord
  const changed = [
    { ...record, ...own },
    { ...record, id: other, address: other, ...ofOther },
  ] as readonly PoolRecord[]
  const { head } = stand.state
  const state = advanceState({ taxOf: () => 0 }, { state: stand.state, head, changed })
  return {
    async settle(steps: Route['steps'], change: Partial<RoutingChain> = {}) {
      const chain = { ...stand.chain, ...change }
      const route = { amountIn, amountOut: amountIn, gas: 1, steps }
      const ends = { tokenIn, tokenOut: steps.at(-1)?.tokenOut ?? '' }
      const before = stand.asked()
      const found = await settleRoute({ chain, state, market: state.market, route, ...ends })
      return [found?.route.amountOut, stand.asked() - before]
    },
  }
}
const less = (amount: bigint) => amount - (amount * 50n) / 10_000n

s('asks again what follows from an answer, and no more [teeth/settle-route]', async () => {
  const { settle } = createPair()
  assert.equal(await settle([through(quoted, there)]), [less(amountIn), 1])
  const both = [through(quoted, there), through(other, back)]
  assert.equal(await settle(both), [less(less(amountIn)), 2])
  // Of a token nobody knows what it takes of a transfer.
  const taxes = { ...generated.taxes, get: () => undefined }
  assert.equal(await settle(both, { taxes }), [less(less(amountIn)), 2])
})
s(
  'asks nothing about a pool, or a hook, that is swapped through twice [teeth/settle-route]',
  async () => {
    const twice = [through(quoted, there), through(quoted, back)]
    assert.equal(await createPair().settle(twice), [undefined, 0])
    const both = [through(quoted, there), through(other, back)]
    const hook = (n: number) => ({ key: { hooks: fakeAddress(n).toUpperCase() } })
    const shared = createPair(hook(5), { key: { hooks: fakeAddress(5) } })
    assert.equal(await shared.settle(both), [undefined, 0])
    const apart = createPair(hook(5), hook(6))
    assert.equal(await apart.settle(both), [less(less(amountIn)), 2])
  },
)
s('asks nothing about a route that cannot be run to its end [teeth/settle-route]', async () => {
  const { settle } = createPair()
  assert.equal(await settle([through(quoted, there), through('gone', back)]), [undefined, 0])
  assert.equal(await settle([through('gone', there)]), [undefined, 0])
})
s(
  'a market is its local one where the chain is asked about none of its pools [teeth/local-market]',
  () => {
    const { state } = createQuotedStand(generated, { missingBps: 0n })
    const found = toLocalMarket(state.market, state)
    assert.is(poolOf(found, quoted)?.curve(0, 1), undefined)
    assert.ok(poolOf(found, local)?.curve(0, 1))
    assert.is(toLocalMarket(state.market, state), found, 'made once')
    const records = [state.pools.get(local) as PoolRecord]
    const alone = createSyncedState({ taxOf: () => 0 }, { head: state.head, records })
    assert.is(toLocalMarket(alone.market, alone), alone.market)
    const empty = createMarket([])
    assert.is(toLocalMarket(empty, state), empty)
  },
)

s.run()
