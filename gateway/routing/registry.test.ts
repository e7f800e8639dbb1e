import { assert, suite } from '../../fixtures/test.ts'
import {
  listLeftOut,
  listLeftOutPools,
  readChainStatus,
  readHealth,
  type StatusDeps,
} from './registry.ts'

const s = suite('routing/registry')
type Condition = {
  readonly lagMs?: number
  readonly other?: number
  readonly isLoaded?: boolean
  readonly leftOut?: readonly { readonly dex: string; readonly reason: string }[]
  readonly pools?: readonly string[]
}
const head = { number: 1n, timestampSecs: 1n }

/** Chains 1, 2 and so on, as they are told to be. */
function open(conditions: readonly Condition[], isForked?: boolean): StatusDeps {
  const chains = conditions.map((condition, index) => {
    const { lagMs = 0, other, isLoaded = true, leftOut = [], pools = [] } = condition
    const chainId = index + 1
    const chain = {
      chainId,
      chainClient: { chain: { name: `C${chainId}`, blockTimeMs: 2_000 }, otherChain: () => other },
      dexes: [{ name: 'd' }, { name: 'maybe', isOptional: true }],
      sync: {
        current: () => (isLoaded ? { head } : undefined),
        lagMs: () => lagMs,
        leftOut: () => leftOut,
        leftOutPools: () => pools.map((pool) => ({ pool })),
      },
    }
    return [chainId, chain] as const
  })
  const simulator = isForked === undefined ? undefined : { status: () => ({ ready: isForked }) }
  const deps = { chains: new Map(chains), simulator, maxLagMs: 30_000, dateMs: () => 2_000 }
  return deps as unknown as StatusDeps
}
const look = (condition: Condition, isForked?: boolean) => {
  const [status] = readChainStatus(open([condition], isForked))
  return [status?.health, ...(status?.troubles ?? [])]
}

s('says of a chain how it is, and why it is not as it should be [teeth/chain-status]', () => {
  assert.equal(look({}), ['ok'])
  assert.equal(look({ lagMs: 30_000 }, true), ['ok'])
  assert.equal(look({ lagMs: 30_001 }), ['degraded', 'C1: its pools are over 30 s old'])
  assert.equal(look({}, false), ['degraded', 'C1: no simulation fork is ready'])
  assert.equal(look({ other: 5 }), ['degraded', 'C1: an RPC endpoint serves chain 5 instead'])
  // What is not there has no age.
  assert.equal(look({ isLoaded: false, lagMs: 99_999 }), ['down', 'C1: its pools are not loaded'])
  const [without] = readChainStatus(open([{ isLoaded: false }]))
  assert.equal([without?.headAge, without?.simulatorReady], [undefined, false])
})
s('is an error when no chain is quoted, degraded when one is not well [teeth/chain-status]', () => {
  const [down, slow] = [{ isLoaded: false }, { lagMs: 99_999 }]
  assert.equal(
    [
      [{}, {}],
      [{}, slow],
      [{}, down],
      [down, down],
      [slow, slow],
    ].map((each) => readHealth(open(each))),
    ['ok', 'degraded', 'degraded', 'error', 'degraded'],
  )
})
s(
  'lists what is left out, but for what may be missing, and twenty pools of each [teeth/chain-status]',
  () => {
    const leftOut = ['d', 'maybe', 'other'].map((dex) => ({ dex, reason: `no ${dex}` }))
    const pools = Array.from({ length: 21 }, (_, index) => String(index))
    const deps = open([{ leftOut, pools }, { pools: ['last'] }])
    assert.equal(listLeftOut(deps), [
      { chainId: 1, dex: 'd', reason: 'no d' },
      { chainId: 1, dex: 'other', reason: 'no other' },
    ])
    const named = listLeftOutPools(deps)
    assert.equal([named.length, named[0]?.pool, named[19]?.pool], [21, '0', '19'])
    assert.equal(named[20], { chainId: 2, pool: 'last' } as never)
  },
)
s.run()
