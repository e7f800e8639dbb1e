import { zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { Route } from './engine/route.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { listStrange } from './strangePools.ts'
import type { SyncedState } from './sync/syncedState.ts'

const s = suite('routing/strangePools')
const hook = '0x2222222222222222222222222222222222222222'

const pools: readonly (readonly [isStrange: boolean, own: object])[] = [
  [false, { protocol: 'uniswap_v2' }],
  [true, { protocol: 'uniswap_v2', parts: ['a'] }],
  [false, { protocol: 'uniswap_v2', parts: [] }],
  [false, { protocol: 'balancer_v2_stable', isMoving: false }],
  [true, { protocol: 'balancer_v2_stable', isMoving: true }],
  [false, { protocol: 'uniswap_v4', key: { hooks: zeroAddress } }],
  [true, { protocol: 'uniswap_v4', key: { hooks: hook } }],
  [true, { protocol: 'curve_stable_ng' }],
  [false, { protocol: 'curve_plain' }],
  [true, { protocol: 'woofi' }],
]
s('finds pools in whose swaps somebody else has a say, each once [teeth/strange]', () => {
  const records = pools.map(([, own], index) => [String(index), own as PoolRecord] as const)
  const state = { pools: new Map(records) } as unknown as SyncedState
  const ids = [...records.map(([id]) => id), 'none', '1', '1']
  const route = { steps: ids.map((poolId) => ({ poolId })) } as unknown as Route
  const strange = pools.flatMap(([isStrange], index) => (isStrange ? [String(index)] : []))
  assert.equal(listStrange(state, route), strange)
})
s.run()
