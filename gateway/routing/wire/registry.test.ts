import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape } from '../../http/validate.ts'
import type { ChainStatus } from '../registry.ts'
import type { RoutingChain } from '../routingChain.ts'
import { mostWaiting } from '../searchQueue.ts'
import { chainsResponse, fromChains, fromHealth, fromTokens, healthResponse } from './registry.ts'
import { fromStatus, statusResponse } from './status.ts'

const s = suite('routing/wire/registry')
const [shared, own] = [
  '0x4200000000000000000000000000000000000006',
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
] as const

function chainWith(chainId: number, tokens: readonly (readonly [string, string, number])[]) {
  const known = new Map(
    tokens.map(([address, symbol, decimals]) => [address, { address, symbol, decimals }]),
  )
  return { chainId, sync: { tokens: () => known } } as unknown as RoutingChain
}

s('names the second token of one address by its chain, too [routing/registry-key]', () => {
  const weth = [shared, 'WETH', 18] as const
  const listed = fromTokens([chainWith(8453, [weth, [own, 'USDC', 6]]), chainWith(10, [weth])])
  assert.equal(listed, {
    [shared]: { chain_id: 8453, symbol: 'WETH', decimals: 18 },
    [own]: { chain_id: 8453, symbol: 'USDC', decimals: 6 },
    [`10:${shared}`]: { chain_id: 10, symbol: 'WETH', decimals: 18 },
  })
})

/** A chain with two pairs of one exchange and a pool with ticks of another, or one never synced. */
function statusOf(isSynced: boolean): ChainStatus {
  const pool = (id: string, own: object) => [id, { id, ...own }] as const
  const pools = new Map([
    pool('0x1', { dex: 'a', reserve0: 1n }),
    pool('0x2', { dex: 'a', reserve0: 1n }),
    pool('0x3', { dex: 'b', sqrtPriceX96: 1n }),
    pool('0x4', { dex: 'b', sqrtPriceX96: 1n, key: {} }),
  ])
  const head = { number: 9n, hash: '0xaa', timestampSecs: 77n }
  const chain = {
    chainId: 8453,
    chainClient: { chain: { name: 'Base', tokens: [['WETH', 18, shared]] } },
    dexes: ['a', 'b', 'c'].map((name) => ({ name, protocol: 'p' })),
    searches: { waiting: () => 3 },
    gasPriceWei: () => 5n,
    sync: {
      role: () => 'alone',
      tokens: () => new Map([[shared, {}]]),
      bounds: () => (isSynced ? { shelved: 1, evicted: 2 } : undefined),
      audit: () => (isSynced ? { healed: 4 } : undefined),
      loadLeftMs: () => (isSynced ? 1_001 : undefined),
      coverage: () =>
        isSynced
          ? [
              {
                dex: 'a',
                known: 5,
                isSearched: true,
                loaded: 2,
                refused: new Map([
                  ['few', 1],
                  ['many', 2],
                ]),
              },
              {
                dex: 'b',
                known: 1,
                isSearched: false,
                loaded: 1,
                refused: new Map(),
                leftOut: 'why',
              },
            ]
          : undefined,
    },
  }
  return {
    chain: chain as never,
    state: isSynced ? ({ pools, head } as never) : undefined,
    lagMs: isSynced ? 12 : Number.POSITIVE_INFINITY,
    headAge: isSynced ? { ageMs: 1_999_999, standsStill: 'node' } : undefined,
    health: isSynced ? 'ok' : 'down',
    simulatorReady: isSynced,
    fork: isSynced ? ({ ready: true, blockNumber: 8n, ageMs: 1.6 } as never) : undefined,
    troubles: isSynced ? [] : ['it was never synced'],
  }
}
const health = (isSynced: boolean, warnings: readonly string[] = []) => {
  const answer = fromHealth({
    status: isSynced ? 'ok' : 'error',
    version: '1',
    uptimeMs: 1_999,
    leftOut: [{ chainId: 1, dex: 'd', reason: 'r' }],
    leftOutPools: [{ chainId: 1, dex: 'd', pool: 'p', reason: 'r' }],
    warnings,
    statuses: [statusOf(isSynced)],
    rssBytes: 1_600_000,
  })
  assert.is(checkShape(healthResponse, answer), undefined)
  return answer
}

s(
  'tells how a service is: what is synced, how much waits, what is left out [teeth/wire-registry]',
  () => {
    assert.equal(health(true), {
      status: 'ok',
      version: '1',
      uptime_secs: 1,
      forks: [{ chain_id: 8453, ready: true, block_number: 8, age_ms: 2 }],
      syncs: [
        {
          chain_id: 8453,
          role: 'alone',
          last_sync_block: 9,
          sync_lag_ms: 12,
          pools: 4,
          tokens: 1,
          pools_shelved: 1,
          pools_evicted: 2,
          pools_healed: 4,
        },
      ],
      dexes_left_out: [{ chain_id: 1, dex: 'd', reason: 'r' }],
      pools_left_out: [{ chain_id: 1, dex: 'd', pool: 'p', reason: 'r' }],
      pools: { total: 4, v2: 2, v3: 1, v4: 1 },
      sync: { max_lag_ms: 12 },
      quotes: {
        semaphore_total: mostWaiting,
        semaphore_available: mostWaiting - 3,
        semaphore_waiting: 3,
      },
      system: { rss_mb: 2 },
      warnings: [],
    } as never)
    const warned = health(true, ['w'])
    assert.equal([warned.status, warned.warnings], ['degraded', ['w']])
    const down = health(false, ['w'])
    assert.equal([down.status, down.warnings], ['error', ['it was never synced', 'w']])
    const [sync] = down.syncs
    assert.equal([sync?.last_sync_block, sync?.pools, down.forks], [0, 0, []])
    assert.is(down.sync?.max_lag_ms, Number.MAX_SAFE_INTEGER)
  },
)
s('tells of chains which exchanges have pools there [teeth/wire-registry]', () => {
  const [synced, never] = fromChains([statusOf(true), statusOf(false)])
  assert.is(checkShape(chainsResponse, [synced, never]), undefined)
  assert.equal(synced, {
    name: 'Base',
    chain_id: 8453,
    dex_count: 2,
    pool_count: 4,
    executor: null,
    last_sync_block: 9,
    sync_lag_ms: 12,
    tokens: [shared],
    dexes: [
      { name: 'a', protocol: 'p', pool_count: 2 },
      { name: 'b', protocol: 'p', pool_count: 2 },
    ],
  })
  assert.equal([never?.dex_count, never?.pool_count, never?.last_sync_block], [0, 0, 0])
})
s(
  'tells how far each chain is, and why pools are not loaded, the most frequent first [teeth/wire-registry]',
  () => {
    const answer = fromStatus('degraded', [statusOf(true), statusOf(false)])
    assert.is(checkShape(statusResponse, answer), undefined)
    assert.equal(answer, {
      status: 'degraded',
      chains: [
        {
          chain_id: 8453,
          status: 'ok',
          last_sync_block: 9,
          last_sync_hash: '0xaa',
          last_sync_timestamp: 77,
          sync_lag_ms: 12,
          head_age_secs: 1_999,
          stands_still: 'node',
          pool_count: 4,
          token_count: 1,
          gas_price_wei: '5',
          simulator_ready: true,
          load_secs_left: 2,
          coverage: [
            {
              dex: 'a',
              known: 5,
              searched: true,
              loaded: 2,
              refused: [
                { reason: 'many', pools: 2 },
                { reason: 'few', pools: 1 },
              ],
            },
            { dex: 'b', known: 1, searched: false, loaded: 1, refused: [], left_out: 'why' },
          ],
        },
        {
          chain_id: 8453,
          status: 'down',
          last_sync_block: 0,
          last_sync_timestamp: 0,
          sync_lag_ms: Number.MAX_SAFE_INTEGER,
          pool_count: 0,
          token_count: 1,
          gas_price_wei: '5',
          simulator_ready: false,
        },
      ],
    })
  },
)

s.run()
