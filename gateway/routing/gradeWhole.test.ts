import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { gradeWhole } from './gradeWhole.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import type { RoutingChain } from './routingChain.ts'
import { createSyncedState } from './sync/syncedState.ts'
import { against, weth } from './testing/boundMarket.ts'

const s = suite('grades of pools by themselves')
const { chain: generated } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
/** A block each two seconds. */
const weekBlocks = (7n * 24n * 3_600n) / 2n
const number = 10n * weekBlocks
const head = { number, hash: '0x1', parentHash: '0x0', timestampSecs: 1n } as const

type Facts = {
  /** Coins that it holds. */
  readonly coins?: number
  readonly idleBlocks?: bigint
  readonly lagMs?: number
  readonly taxOf?: (token: string) => number | undefined
}
function grade({ coins = 10_000, idleBlocks = 0n, lagMs = 0, taxOf = () => 0 }: Facts) {
  const record: PoolRecord = {
    ...against(weth, 3_000 * coins, coins),
    changedBlock: number - idleBlocks,
  }
  const state = createSyncedState({ taxOf: () => 0 }, { head, records: [record] })
  const { chainClient } = generated
  const row = { ...chainClient.chain, wrappedNative: weth as `0x${string}`, blockTimeMs: 2_000 }
  const chain: RoutingChain = {
    ...generated,
    chainClient: { ...chainClient, chain: row },
    sync: { ...generated.sync, lagMs: () => lagMs },
    taxes: { ...generated.taxes, get: taxOf },
  }
  return gradeWhole(chain, { state, record })
}

s('are by what a coin sold to them costs [teeth/grades-alone]', () => {
  assert.equal(
    [10_000, 1_000, 100, 10, 4, 1].map((coins) => grade({ coins })),
    ['A', 'B', 'C', 'D', 'E', 'F'],
  )
  // With the fee it is 34.998 and 35.00005 basis points.
  assert.equal([grade({ coins: 1_988 }), grade({ coins: 1_987 })], ['A', 'B'])
})
s('are one lower after a week without a change, and in an old state [teeth/grades-alone]', () => {
  assert.equal(
    [0n, weekBlocks, weekBlocks + 1n].map((idleBlocks) => grade({ idleBlocks })),
    ['A', 'A', 'B'],
  )
  assert.equal(
    [5_000, 5_001].map((lagMs) => grade({ lagMs })),
    ['A', 'B'],
  )
})
s(
  'are lower for the heavier tax of their tokens, as far as it is known [teeth/grades-alone]',
  () => {
    assert.is(grade({ taxOf: () => undefined }), 'A')
    const taxOf = (token: string) => (token === weth ? 1 : 501)
    assert.equal([grade({ taxOf: () => 1 }), grade({ taxOf })], ['B', 'C'])
  },
)
s.run()
