import { numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { openStore } from '../../store/openStore.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { createSnapshotWriter } from './snapshotWriter.ts'
import { createSyncedState } from './syncedState.ts'

const s = suite('what is kept of pools between runs')
const pair = (dex: string, reserve0: bigint): PoolRecord => {
  const address = numberToHex(dex.length, { size: 20 })
  return {
    id: address,
    address,
    dex,
    protocol: 'uniswap_v2',
    tokens: ['0x01', '0x02'],
    feePips: 3_000,
    changedBlock: 7n,
    isFresh: [false, false],
    swapsSeen: 0,
    reserve0,
    reserve1: 10n ** 18n,
  }
}
const stateAt = (number: bigint, records: readonly PoolRecord[]) => {
  const hash = numberToHex(number, { size: 32 })
  const head = { number, hash, parentHash: hash, timestampSecs: number }
  return createSyncedState({ taxOf: () => 0 }, { head, records })
}
function setUp() {
  const store = openStore({ path: ':memory:' })
  const start = (snapshots = store.pools) => createSnapshotWriter({ chainId: 1, snapshots })
  const reserves = async (...dexes: string[]) => {
    const restored = await start().restore(new Set(dexes))
    return restored?.records.map((record) => 'reserve0' in record && record.reserve0)
  }
  return { store, start, reserves }
}

s('a DEX that comes back is not taken for followed meanwhile', async () => {
  const { store, start, reserves } = setUp()
  await start().save({ state: stateAt(1n, [pair('one', 1n), pair('other', 1n)]), tokens: [] })
  const without = start()
  await without.restore(new Set(['one']))
  await without.save({ state: stateAt(2n, [pair('one', 2n)]), tokens: [] })
  assert.equal(await reserves('one', 'other'), [2n])
  store.close()
})

s('a pool that a reorganised chain no longer has goes', async () => {
  const { store, start, reserves } = setUp()
  const writer = start()
  await writer.save({ state: stateAt(1n, [pair('one', 1n), pair('other', 1n)]), tokens: [] })
  await writer.save({ state: stateAt(2n, [pair('one', 2n)]), tokens: [] })
  assert.equal(await reserves('one', 'other'), [2n])
  store.close()
})

s('after a save that failed the next one writes everything', async () => {
  const { store, start, reserves } = setUp()
  let isFull = false
  const writer = start({
    ...store.pools,
    async save(chainId, snapshot) {
      // What a save that broke off leaves: no head.
      if (isFull) store.db.exec('DELETE FROM pool_heads')
      if (isFull) throw new Error('disk full')
      await store.pools.save(chainId, snapshot)
    },
  })
  const [one, other] = [pair('one', 1n), pair('other', 1n)]
  await writer.save({ state: stateAt(1n, [one, other]), tokens: [] })
  isFull = true
  const failed = writer.save({ state: stateAt(2n, [one, pair('other', 2n)]), tokens: [] })
  assert.match(String(await failed.catch((error: unknown) => error)), /disk full/)
  isFull = false
  await writer.save({ state: stateAt(3n, [one, pair('other', 3n)]), tokens: [] })
  assert.equal(await reserves('one', 'other'), [1n, 3n])
  store.close()
})
s.run()
