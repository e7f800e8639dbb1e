import { Registry } from 'prom-client'
import { assert, suite } from '../../fixtures/test.ts'
import type { ChainStatus } from '../routing/registry.ts'
import type { Routing } from '../routing/service/routing.ts'
import { showSync } from './syncMetrics.ts'

const s = suite('sync metrics')

s(
  'show who reads each chain, how far and how long ago, as it is when asked [strangers/left-out-named]',
  async () => {
    const registry = new Registry()
    let role = 'follower'
    let leftOut = [{ dex: 'x', pool: '0x', reason: 'burns' }]
    const leftOutPools = () => leftOut
    const bounds = () => (role === 'leader' ? { shelved: 5, evicted: 2 } : undefined)
    const audit = () => (role === 'leader' ? { audited: 40, healed: 1 } : undefined)
    const tokens = () => new Map([['0x', {}]])
    const searches = { waiting: () => 3 }
    const routes = { aheadTally: () => ({ searched: 9, secs: 0.5, asked: 7 }) }
    const threads = { lost: () => 1 }
    const sync = { role: () => role, leftOutPools, bounds, audit, tokens }
    const chain = { chainId: 8453, searches, routes, threads, sync }
    const state = { head: { number: 77n }, pools: new Map([['0x', {}]]) }
    const unread = {
      chain: { ...chain, chainId: 42161 },
      state: undefined,
      lagMs: Number.POSITIVE_INFINITY,
    }
    let headAge: ChainStatus['headAge'] = { ageMs: 2_500, standsStill: undefined }
    const status = () => [{ chain, state, lagMs: 1_500, headAge }, unread] as unknown
    showSync({ registry }, { status: status as Routing['status'] })
    const before = await registry.metrics()
    assert.match(before, 'forkyard_sync_leads{chain="8453"} 0')
    assert.match(before, 'forkyard_sync_block{chain="8453"} 77')
    assert.match(before, 'forkyard_sync_lag_seconds{chain="8453"} 1.5')
    assert.match(before, 'forkyard_sync_leads{chain="42161"} 0')
    assert.match(before, 'forkyard_pools_left_out{chain="8453"} 1')
    assert.match(before, 'forkyard_sync_lag_seconds{chain="42161"} +Inf')
    assert.not.match(before, 'forkyard_sync_block{chain="42161"}')
    assert.match(before, 'forkyard_pools{chain="8453"} 1')
    assert.match(before, 'forkyard_tokens{chain="8453"} 1')
    assert.match(before, /^forkyard_searches_waiting 3$/m)
    assert.match(before, 'forkyard_searched_ahead{chain="8453"} 9')
    assert.match(before, 'forkyard_searched_ahead_seconds{chain="8453"} 0.5')
    assert.match(before, 'forkyard_searched_ahead_asked{chain="8453"} 7')
    assert.match(before, 'forkyard_search_threads_lost{chain="8453"} 1')
    assert.not.match(before, 'forkyard_pools_shelved{')
    assert.match(before, 'forkyard_head_age_seconds{chain="8453"} 2.5')
    assert.not.match(before, 'forkyard_head_age_seconds{chain="42161"}')
    assert.not.match(before, 'forkyard_stands_still{')
    const named = 'forkyard_pool_left_out{chain="8453",dex="x",pool="0x",reason="burns"} 1'
    assert.ok(before.includes(named))
    role = 'leader'
    headAge = { ageMs: 61_000, standsStill: 'chain_or_node' }
    leftOut = Array.from({ length: 12 }, (_, n) => ({ dex: 'x', pool: `0x${n}`, reason: 'burns' }))
    const after = await registry.metrics()
    assert.match(after, 'forkyard_sync_leads{chain="8453"} 1')
    assert.match(after, 'forkyard_pools_shelved{chain="8453"} 5')
    assert.match(after, 'forkyard_pools_evicted{chain="8453"} 2')
    assert.match(after, 'forkyard_pools_audited{chain="8453"} 40')
    assert.match(after, 'forkyard_pools_healed{chain="8453"} 1')
    assert.match(after, 'forkyard_stands_still{chain="8453",what="chain_or_node"} 1')
    assert.not.ok(after.includes(named), 'it was read again')
    assert.is(after.match(/forkyard_pool_left_out\{chain="8453"/g)?.length, 10)
  },
)
s.run()
