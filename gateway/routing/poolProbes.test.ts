import type { Chain, Client, Transport } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { Route } from './engine/route.ts'
import { createPoolProbes } from './poolProbes.ts'
import type { SyncedState } from './sync/syncedState.ts'

const s = suite('what is known of pools')

s(
  'is forgotten beyond a number, what was asked for longest ago first [strangers/probes]',
  async () => {
    const tried: string[] = []
    // Pools that nobody can try: each time one is looked at it is looked for.
    const pools = { get: (id: string) => void tried.push(id) } as unknown as SyncedState['pools']
    const probes = createPoolProbes({
      client: {} as Client<Transport, Chain>,
      executor: '0x0000000000000000000000000000000000000001',
      current: () => ({ pools }) as SyncedState,
      gasPriceWei: () => 0n,
      mostKept: 100,
      now: () => 0,
    })
    const use = (n: number) => {
      const step = { poolId: `pool ${n}`, tokenIn: 'a', tokenOut: 'b' }
      return probes.hasRefusing({ steps: [step] } as unknown as Route)
    }
    for (let n = 0; n < 100; n += 1) await use(n)
    await use(0)
    for (let n = 100; n < 199; n += 1) await use(n)
    assert.is(tried.length, 199, 'each once')
    tried.length = 0
    for (const n of [0, 198, 1]) await use(n)
    assert.equal(tried, ['pool 1'])
  },
)
s.run()
