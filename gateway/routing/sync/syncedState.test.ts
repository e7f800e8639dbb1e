import { getAddress, numberToHex } from 'viem'
import { random } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { poolOf } from '../engine/market.ts'
import { each } from '../engine/pieces.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { advanceState, createSyncedState } from './syncedState.ts'

const s = suite('the state of a block')
const deps = { taxOf: () => 0 }
const head = { number: 1n, hash: '0x01', parentHash: '0x00', timestampSecs: 0n } as const
const dex = base.dexes.find(({ protocol }) => protocol === 'uniswap_v2')
if (!dex) throw new Error('Base has a Uniswap v2')
const address = (n: number) => numberToHex(n, { size: 20 })

/** A pair of one of a few tokens; one without reserves sells nothing. */
const pool = (n: number, reserve: bigint): PoolRecord => ({
  id: address(n),
  address: getAddress(address(n)),
  dex: dex.name,
  protocol: 'uniswap_v2',
  tokens: [address(0xfa00 + (n % 9)), address(0xfb00 + (n % 7))],
  feePips: 3_000,
  changedBlock: 1n,
  isFresh: [false, false],
  swapsSeen: 0,
  reserve0: reserve,
  reserve1: reserve,
})

s('is what pools are left, whichever changed, came or went in one block', () => {
  for (let seed = 1; seed <= 6; seed += 1) {
    const next = random(seed)
    const below = (most: number) => Math.floor(next() * most)
    const some = (most: number) => Array.from({ length: below(most) }, () => below(60))
    const start = Array.from({ length: 40 }, (_, n) => pool(n, 10n ** 18n))
    let state = createSyncedState(deps, { head, records: start })
    let plain: ReadonlyMap<string, PoolRecord> = new Map(start.map((one) => [one.id, one]))
    const history = [{ state, plain }]
    for (let block = 0; block < 60; block += 1) {
      const ids = some(8)
      const changed = ids.map((n) => pool(n, 10n ** 18n + BigInt(below(1_000_000))))
      // What moved may be what goes: it made room, or can be read no more.
      const gone = new Set([...some(4), ...ids.slice(0, below(3))].map(address))
      state = advanceState(deps, { state, head, changed, gone })
      const after = new Map(plain)
      for (const record of changed) after.set(record.id, record)
      for (const id of gone) after.delete(id)
      plain = after
      history.push({ state, plain })
    }
    for (const { state: made, plain: expected } of history) {
      assert.is(made.pools.size, expected.size)
      assert.equal(new Map(made.pools), expected)
      for (const n of Array.from({ length: 60 }, (_, index) => index)) {
        assert.is(made.pools.get(address(n)), expected.get(address(n)))
        assert.is(poolOf(made.market, address(n))?.id, expected.get(address(n))?.id)
      }
      const priced = [...each(made.market.pools)].map(({ id }) => id)
      assert.equal(priced.toSorted(), [...expected.keys()].toSorted())
    }
  }
})
s.run()
