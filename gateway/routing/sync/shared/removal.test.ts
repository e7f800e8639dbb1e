import { numberToHex } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { openStore } from '../../../store/openStore.ts'
import type { PoolRecord } from '../../protocols/poolRecord.ts'
import { createSyncedState } from '../syncedState.ts'
import { createFeedReader } from './feedReader.ts'
import { createPublisher, type Published } from './publisher.ts'

const s = suite('what leaves a feed')
const feed = 'pools'
const addressOf = (n: number) => numberToHex(n, { size: 20 })
const token = (n: number) => ({ address: addressOf(n), symbol: `T${n}`, decimals: 18 })
const pair = (n: number, reserve0 = 10n ** 18n): PoolRecord => ({
  id: addressOf(n),
  address: addressOf(n),
  dex: 'x',
  protocol: 'uniswap_v2',
  tokens: [addressOf(100), addressOf(100 + n)],
  feePips: 3_000,
  changedBlock: 7n,
  isFresh: [false, false],
  swapsSeen: 0,
  reserve0,
  reserve1: 10n ** 18n,
})
const stateAt = (number: bigint, records: readonly PoolRecord[]) => {
  const hash = numberToHex(number, { size: 32 })
  const head = { number, hash, parentHash: hash, timestampSecs: number }
  return createSyncedState({ taxOf: () => 0 }, { head, records })
}

async function setUp() {
  const store = openStore({ path: ':memory:' })
  let clockMs = 0
  let restarts = 0
  const feeds = {
    ...store.feeds,
    restart: (...args: Parameters<typeof store.feeds.restart>) => {
      restarts += 1
      return store.feeds.restart(...args)
    },
  }
  await feeds.claim(feed, 1)
  let news: Published | undefined
  const failed = (error: unknown) => {
    throw error
  }
  const publisher = createPublisher({
    feeds,
    feed,
    term: 1,
    failed,
    now: () => clockMs,
    read: () => news,
    wrote: () => undefined,
    deposed: () => undefined,
  })
  const follow = () =>
    createFeedReader({
      feeds,
      feed,
      dexes: new Set(['x']),
      taxOf: () => 0,
      now: () => clockMs,
    })
  return {
    store,
    publisher,
    follow,
    restarts: () => restarts,
    /** Later than any pause between two snapshots. */
    wait: () => {
      clockMs += 60_000
    },
    async publish(number: bigint, records: readonly PoolRecord[], tokens: readonly number[]) {
      const left = { leftOut: [], leftOutPools: [], confirmedAtMs: clockMs }
      news = { state: stateAt(number, records), tokens: tokens.map(token), ...left }
      await publisher.wake()
    },
  }
}
type Reader = ReturnType<typeof createFeedReader>
const look = (reader: Reader) => {
  const followed = reader.current()
  return {
    pools: [...(followed?.state.pools.keys() ?? [])].map(Number).toSorted((a, b) => a - b),
    market: followed?.state.market.pools.length,
    tokens: [...(followed?.tokens.keys() ?? [])].map(Number),
  }
}

s(
  'a pool and a token go as an ordinary change: the feed is not begun anew [bounds/feed]',
  async () => {
    const { store, publish, follow, restarts } = await setUp()
    const [one, two, three] = [pair(1), pair(2), pair(3)]
    await publish(1n, [one, two, three], [101, 102, 103])
    const reader = follow()
    await reader.pull()
    assert.equal(look(reader), { pools: [1, 2, 3], market: 3, tokens: [101, 102, 103] })
    const begun = restarts()
    await publish(2n, [one, pair(3, 5n)], [101, 103])
    await reader.pull()
    assert.equal(look(reader), { pools: [1, 3], market: 2, tokens: [101, 103] })
    assert.is(restarts(), begun)
    store.close()
  },
)

s('a reader that missed it going and coming back has it as it is now', async () => {
  const { store, publish, follow, restarts } = await setUp()
  await publish(1n, [pair(1), pair(2)], [101, 102])
  const reader = follow()
  await reader.pull()
  await publish(2n, [pair(1)], [101])
  await publish(3n, [pair(1), pair(2, 77n)], [101, 102])
  await publish(4n, [pair(2, 77n)], [102])
  await reader.pull()
  assert.equal(look(reader), { pools: [2], market: 1, tokens: [102] })
  const record = reader.current()?.state.pools.get(addressOf(2))
  assert.is(record && 'reserve0' in record && record.reserve0, 77n)
  assert.is(restarts(), 1)
  store.close()
})

s('one that joins later never hears of what went, in the snapshot or in the changes', async () => {
  const { store, publisher, publish, follow, wait } = await setUp()
  await publish(1n, [pair(1), pair(2), pair(3)], [101, 102, 103])
  await publish(2n, [pair(1), pair(3)], [101, 103])
  const between = follow()
  await between.pull()
  assert.equal(look(between), { pools: [1, 3], market: 2, tokens: [101, 103] })
  wait()
  await publish(3n, [pair(3)], [103])
  await publisher.close()
  const late = follow()
  await late.pull()
  assert.equal(look(late), { pools: [3], market: 1, tokens: [103] })
  store.close()
})
s.run()
