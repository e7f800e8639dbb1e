import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import {
  openAt,
  type StoreEngine,
  startStoreEngines,
  untilAbandoned,
} from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { PoolSnapshot } from './pools.ts'

const snapshot: PoolSnapshot = {
  head: { number: 2n ** 60n, hash: '0xaa', parentHash: '0xbb', timestampSecs: 1n },
  pools: [
    { id: '0x1', state: 'one' },
    { id: '0x2', state: 'two' },
  ],
  tokens: [{ address: '0x3', symbol: '🦄', decimals: 18 }],
}

const writer = join(import.meta.dirname, '..', '..', 'fixtures', 'store', 'poolWriter.ts')

function addTests(engine: StoreEngine) {
  const s = suite(`pool snapshots on ${engine.name}`)
  const { pools: snapshots } = engine.store
  s.after(engine.close)

  s('knows nothing of a chain that was never saved', async () => {
    assert.is(await snapshots.load(1), undefined)
  })

  s('gives back what was saved, with later states in place of earlier ones', async () => {
    await snapshots.save(8453, snapshot)
    assert.equal(await snapshots.load(8453), snapshot)
    const head = { ...snapshot.head, number: 2n ** 60n + 1n }
    await snapshots.save(8453, { head, pools: [{ id: '0x2', state: 'new' }], tokens: [] })
    const loaded = await snapshots.load(8453)
    assert.equal(loaded?.head, head)
    assert.equal(
      loaded?.pools.map(({ state }) => state),
      ['one', 'new'],
    )
  })

  s('saves thousands of pools, and leaves no snapshot where it broke off', async () => {
    const pools = Array.from({ length: 2_000 }, (_, index) => ({
      id: `0x${index}`,
      state: `state of ${index}`,
    }))
    await snapshots.save(10, { ...snapshot, pools })
    assert.is((await snapshots.load(10))?.pools.length, pools.length)
    const broken = { id: '0x1999', state: null as unknown as string }
    const cut = snapshots.save(10, { ...snapshot, pools: [...pools.slice(0, 1_999), broken] })
    assert.ok(await cut.catch((error: unknown) => error))
    assert.is(await snapshots.load(10), undefined)
    await snapshots.save(10, { ...snapshot, pools })
    assert.is((await snapshots.load(10))?.pools.length, pools.length)
  })

  s('leaves nothing to the next save when the process is killed during one', async () => {
    const address = await engine.createDatabase()
    const [, signal] = await once(fork(writer, [address]), 'exit')
    assert.is(signal, 'SIGKILL')
    await untilAbandoned(address)
    const store = await openAt(address)
    assert.is(await store.pools.load(1), undefined)
    await store.pools.save(1, snapshot)
    assert.equal(await store.pools.load(1), snapshot)
    await store.close()
  })

  s('forgets a chain on demand, and no other', async () => {
    await snapshots.save(42161, snapshot)
    await snapshots.clear(8453)
    assert.is(await snapshots.load(8453), undefined)
    assert.equal(await snapshots.load(42161), snapshot)
  })
  s('saves fifty at once or not at all, and more in pieces [teeth/pools-pieces]', async () => {
    const broken = { id: '0xff', state: null as unknown as string }
    for (const [count, left] of [
      [50, snapshot],
      [51, undefined],
    ] as const) {
      await snapshots.save(count, snapshot)
      const others = Array.from({ length: count - 1 }, (_, n) => ({ id: `0x${n}`, state: 'new' }))
      const cut = snapshots.save(count, { ...snapshot, pools: [...others, broken] })
      assert.ok(await cut.catch((error: unknown) => error))
      assert.equal(await snapshots.load(count), left)
    }
  })
  s('forgets what is gone in pieces, too [teeth/pools-gone]', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `0x${n}` as const)
    const pools = ids.map((id) => ({ id, state: 'here' }))
    const tokens = ids.map((address) => ({ address, symbol: 'T', decimals: 18 }))
    const { head } = snapshot
    await snapshots.save(77, { head, pools, tokens })
    await snapshots.save(77, {
      head,
      pools: [],
      tokens: [],
      goneTokens: ids,
      gonePools: ids.slice(1),
    })
    assert.equal(await snapshots.load(77), { head, pools: pools.slice(0, 1), tokens: [] })
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
