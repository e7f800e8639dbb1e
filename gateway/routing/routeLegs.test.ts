import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { poolOf } from './engine/market.ts'
import { uniswapV2AmountOut } from './protocols/pair/uniswapV2.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import { type LegRoute, routeLegs } from './routeLegs.ts'
import type { RoutingChain } from './routingChain.ts'
import { oldMs } from './sync/chainSync.ts'
import { createSyncedState, type SyncedState } from './sync/syncedState.ts'
import { createQuotedStand, local, quoted, tokenIn, tokenOut } from './testing/quotedStand.ts'
import { fakeAddress, fakeDex } from './testing/viewNode.ts'

const s = suite('routes of legs')
const { chain: generated } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
const amountIn = 10n ** 18n
const leg = { tokenIn, tokenOut, amountIn }
const nowhere = { ...leg, tokenOut: fakeAddress(1) }

type Asked = {
  readonly missingBps?: bigint
  readonly legs: readonly (typeof leg | typeof nowhere)[]
  readonly change?: (state: SyncedState) => Partial<RoutingChain>
}
async function route({ missingBps = 0n, legs, change = () => ({}) }: Asked) {
  const { chain, state } = createQuotedStand(generated, { missingBps })
  const found = await routeLegs(
    { now: () => performance.now() },
    {
      chain: { ...chain, ...change(state) },
      mode: 'deep',
      state,
      legs,
      options: undefined,
      asker: undefined,
    },
  )
  return { state, found }
}
const poolsOf = (found: readonly (LegRoute | undefined)[]) =>
  found.map((one) => one?.route.steps.map(({ poolId }) => poolId).join())
const outputsOf = (found: readonly (LegRoute | undefined)[]) =>
  found.map((one) => one?.route.amountOut)

/** What its pair gives for one leg after the other. */
function sellLocally(state: SyncedState, count: number): readonly bigint[] {
  const record = state.pools.get(local) as PairRecord
  let { reserve0, reserve1 } = record
  return Array.from({ length: count }, () => {
    const pair = { ...record, token0: tokenIn, token1: tokenOut, reserve0, reserve1 }
    const amountOut = uniswapV2AmountOut(pair, { zeroForOne: true, amountIn }) ?? 0n
    reserve0 += amountIn
    reserve1 -= amountOut
    return amountOut
  })
}

s(
  'go through a quoted pool once: of what is left there nobody was asked [teeth/legs-quoted]',
  async () => {
    const { state, found } = await route({ legs: [leg, leg] })
    assert.equal(poolsOf(found), [quoted, local])
    assert.equal(outputsOf(found), [amountIn, ...sellLocally(state, 1)])
    const [first, second] = found
    assert.is(first?.state.market, state.market)
    assert.is(second && poolOf(second.state.market, quoted)?.curve(0, 1), undefined)
    assert.equal([first?.source, second?.source], [undefined, undefined])
  },
)
s(
  'are run again where one before came out otherwise, through their pools [teeth/legs-quoted]',
  async () => {
    const { state, found } = await route({ legs: [leg, leg, nowhere, leg], missingBps: 50n })
    assert.equal(poolsOf(found), [local, local, undefined, local])
    const [one, two, three] = sellLocally(state, 3)
    assert.equal(outputsOf(found), [one, two, undefined, three])
  },
)

/** The same legs where their state is old, and another is read for them. */
function hint(make: (state: SyncedState) => SyncedState | undefined) {
  const asked: string[][] = []
  const change = (state: SyncedState): Partial<RoutingChain> => ({
    dexes: [fakeDex({ protocol: 'uniswap_v2' })],
    sync: { ...generated.sync, lagMs: () => oldMs + 1 },
    async hints(ids) {
      asked.push([...ids])
      return make(state)
    },
  })
  return { asked, change }
}
const withLocal = (state: SyncedState, own: Partial<PairRecord>) =>
  createSyncedState(
    { taxOf: () => 0 },
    { head: state.head, records: [{ ...(state.pools.get(local) as PairRecord), ...own }] },
  )

s('are of pools that were read anew where what is followed is old [teeth/legs-hints]', async () => {
  const twice = { reserve1: 2n * 10n ** 24n }
  const { asked, change } = hint((state) => withLocal(state, twice))
  const { state, found } = await route({ legs: [leg, nowhere, leg], change })
  assert.equal(asked, [[quoted, local]])
  assert.equal(
    found.map((one) => one?.source),
    ['path_hint', undefined, 'path_hint'],
  )
  assert.equal(poolsOf(found), [local, undefined, local])
  const [one, two] = sellLocally(withLocal(state, twice), 2)
  assert.equal(outputsOf(found), [one, undefined, two])
})
s(
  'are as they were where one of them would be lost, or nobody answers [teeth/legs-hints]',
  async () => {
    for (const make of [
      () => undefined,
      (state: SyncedState) =>
        createSyncedState({ taxOf: () => 0 }, { head: state.head, records: [] }),
    ]) {
      const { found } = await route({ legs: [leg, leg], change: hint(make).change })
      assert.equal(poolsOf(found), [quoted, local])
      assert.equal(
        found.map((one) => one && (one.source ?? 'followed')),
        ['followed', 'followed'],
      )
    }
  },
)
s.run()
