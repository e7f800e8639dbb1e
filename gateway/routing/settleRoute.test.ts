import { quotePair } from '../../fixtures/nodes/mainnet/families/quotedPair.ts'
import { quiet } from '../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import type { Route } from './engine/route.ts'
import type { RoutingChain } from './routingChain.ts'
import { settleIfAnswered } from './settleFound.ts'
import { usesQuoted } from './settleRoute.ts'
import type { SyncedState } from './sync/syncedState.ts'
import { holdMainnet } from './testing/mainnet/holdMainnet.ts'

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
s.run()
