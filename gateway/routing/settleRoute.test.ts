import { assert, suite } from '../../fixtures/test.ts'
import type { Route } from './engine/route.ts'
import { usesQuoted } from './settleRoute.ts'
import type { SyncedState } from './sync/syncedState.ts'

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
s.run()
