import { numberToHex } from 'viem'
import { random } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import {
  changePools,
  type FollowedPools,
  followPools,
  listGone,
  listNews,
} from './followedPools.ts'

const s = suite('followed pools')
let made = 0
const pool = (n: number) => ({ id: numberToHex(n, { size: 20 }), made: made++ }) as never
type Plain = ReadonlyMap<string, PoolRecord>

/** What a history makes of pools, and of a plain map beside them. */
function play(seed: number, steps: number) {
  const next = random(seed)
  const below = (most: number) => Math.floor(next() * most)
  const start: PoolRecord[] = Array.from({ length: 300 }, (_, n) => pool(n))
  let pools = followPools(start)
  let plain: Plain = new Map(start.map((record) => [record.id, record]))
  const history: { readonly pools: FollowedPools; readonly plain: Plain }[] = []
  let most = 0
  for (let step = 0; step < steps; step++) {
    history.push({ pools, plain })
    const changed: PoolRecord[] = Array.from({ length: below(6) }, () => pool(below(600)))
    const ids = new Set(changed.map(({ id }) => id))
    const isGoing = (id: string) => !ids.has(id) && next() < 0.01
    const gone = next() < 0.3 ? [...plain.keys(), numberToHex(999)].filter(isGoing) : []
    pools = changePools(pools, { changed, gone })
    const after = new Map(plain)
    for (const record of changed) after.set(record.id, record)
    for (const id of gone) after.delete(id)
    plain = after
    most = Math.max(most, sizeOf(pools))
  }
  return { history: [...history, { pools, plain }], most }
}

/** Of all layers. */
const sizeOf = ({ seated }: FollowedPools) =>
  seated.seats.layers.reduce((sum, { size }) => sum + size, 0)

const sorted = <value>(entries: Iterable<readonly [string, value]>) =>
  [...entries].sort(([one], [other]) => (one < other ? -1 : 1))

s('are what a map would be, now and later, whatever comes and goes [sync/followed-pools]', () => {
  for (let seed = 1; seed <= 8; seed++) {
    const { history } = play(seed, 200)
    // All of them are looked at when the last one has been made.
    for (const { pools, plain } of history) {
      assert.is(pools.size, plain.size)
      assert.equal(sorted(pools), sorted(plain))
      for (let n = 0; n < 600; n += 7) {
        const id = numberToHex(n, { size: 20 })
        assert.is(pools.get(id), plain.get(id))
        assert.is(pools.has(id), plain.has(id))
      }
    }
  }
})

s(
  'stand in one order, in which those that come are last and others stay [sync/pools-order]',
  () => {
    const { history } = play(3, 100)
    for (const [index, { pools }] of history.entries()) {
      const entries = [...pools.entries()]
      assert.equal(entries, [...pools])
      assert.equal(
        [...pools.keys()],
        entries.map(([id]) => id),
      )
      assert.equal(
        [...pools.values()],
        entries.map(([, record]) => record),
      )
      const visited: unknown[] = []
      pools.forEach((record, id, all) => void visited.push([id, record, all === pools]))
      assert.equal(
        visited,
        entries.map(([id, record]) => [id, record, true]),
      )
      const before = history[index - 1]?.pools
      if (!before || listGone(pools, before).length > 0) continue
      assert.equal([...pools.keys()].slice(0, before.size), [...before.keys()])
    }
  },
)

s('are looked through while others follow on them [sync/pools-walked]', () => {
  const records: PoolRecord[] = Array.from({ length: 10 }, (_, n) => pool(n))
  const pools = followPools(records)
  let [next, n] = [pools, 100]
  const seen = [...pools].map(([id, record]) => {
    next = changePools(next, { changed: [pool(n++)], gone: [id] })
    return record
  })
  assert.equal(seen, records)
  assert.equal([...pools.values()], records)
  assert.is(next.size, 10)
})

s('tell what is other than in any earlier ones [sync/pools-news]', () => {
  const { history } = play(5, 120)
  for (const [index, { pools, plain }] of history.entries())
    for (const before of [history[index - 1], history[0], history.at(-1)]) {
      if (!before) continue
      const news = [...plain.values()].filter(({ id }) => before.plain.get(id) !== plain.get(id))
      const gone = [...before.plain.keys()].filter((id) => !plain.has(id))
      assert.equal(new Set(listNews(pools, before.pools)), new Set(news))
      assert.equal(listGone(pools, before.pools).toSorted(), gone.toSorted())
    }
})

s('keep no list of all that came and went [sync/pools-compact]', () => {
  assert.ok(play(7, 2_000).most <= 2 * 600)
  const { history } = play(8, 1)
  let pools = history[0]?.pools as FollowedPools
  for (let n = 0; n < 3_000; n++) {
    const came = pool(10_000 + n)
    pools = changePools(pools, { changed: [came], gone: [] })
    pools = changePools(pools, { changed: [], gone: [(came as PoolRecord).id] })
  }
  assert.is(pools.size, 300)
  const { seats } = pools.seated
  const [first] = [...pools.values()]
  assert.ok(first)
  // A block in which nobody comes or goes.
  pools = changePools(pools, { changed: [{ ...first }], gone: [] })
  assert.is(pools.seated.seats, seats)
  assert.ok(sizeOf(pools) <= 2 * 300, `${sizeOf(pools)} for 300`)
})
s.run()
