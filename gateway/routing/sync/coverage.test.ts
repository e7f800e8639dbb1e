import type { Address } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { getDexes } from '../../chain/chains.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { createFoundPools, listCoverage } from './coverage.ts'
import { createTroubledPools } from './troubledPools.ts'

const s = suite('coverage of exchanges')
const [one, other] = getDexes(8453)
if (!one || !other) throw new Error('Base has exchanges')
const pool = (n: number, dex = one) => ({
  dex,
  address: `0x${n.toString(16).padStart(40, '0')}` as Address,
})
const toRecord = ({ dex, address }: ReturnType<typeof pool>) =>
  ({ id: address, dex: dex.name }) as unknown as PoolRecord
const tell = (p: Partial<Parameters<typeof listCoverage>[0]>) =>
  listCoverage({
    dexes: [one, other],
    leftOut: [],
    loaded: new Map(),
    troubled: { out: () => [] },
    outside: [],
    found: [],
    isSearched: () => true,
    ...p,
  })

s('counts pools by exchange: known, loaded, refused and why [nodes/coverage]', () => {
  const troubled = createTroubledPools({ now: () => 0 })
  troubled.leaveOut(pool(2), 'it burns')
  troubled.leaveOut(pool(3), 'it burns')
  troubled.leaveOut(pool(4), undefined)
  troubled.leaveOut(pool(5), 'it lies')
  troubled.takeIn(pool(5).address)
  const told = tell({
    troubled,
    loaded: new Map([1, 5].map((n) => [pool(n).address, toRecord(pool(n))])),
    outside: [
      { pool: pool(6), isShallow: true },
      { pool: pool(7), isShallow: false },
      // It could not be read when it was looked at again.
      { pool: pool(3), isShallow: true },
    ],
    leftOut: [{ dex: other.name, reason: 'no contract stands at its address' }],
  })
  const refused = {
    'it holds less than POOL_FLOOR_USD': 1,
    'deeper pools have its place (MAX_POOLS_PER_CHAIN, MAX_TOKENS_PER_CHAIN)': 1,
    'it burns': 2,
    'swaps do not follow from its state, or it waits to be read again': 1,
  }
  const leftOut = 'no contract stands at its address'
  assert.equal(
    told.map((each) => ({ ...each, refused: Object.fromEntries(each.refused) })),
    [
      { dex: one.name, known: 7, isSearched: true, loaded: 2, refused, leftOut: undefined },
      { dex: other.name, known: 0, isSearched: true, loaded: 0, refused: {}, leftOut },
    ],
  )
})

s('counts what a load has found as known before it is read [nodes/coverage]', () => {
  const found = createFoundPools()
  const counts = (loaded: readonly number[]) => {
    const records = loaded.map((n) => [pool(n).address, toRecord(pool(n))] as const)
    const [first] = tell({ found: found.all(), loaded: new Map(records) })
    return [first?.known, first?.loaded]
  }
  found.begin([pool(1), pool(2), pool(3, other)])
  assert.equal(counts([]), [2, 0])
  assert.equal(counts([1]), [2, 1])
  found.end()
  assert.equal(counts([1]), [1, 1])
})

s('tells which exchanges have not been looked at yet [nodes/coverage-unsearched]', () => {
  const found = createFoundPools()
  const rows = () =>
    tell({ found: found.all(), isSearched: found.hasSearched }).map(({ known, isSearched }) => [
      known,
      isSearched,
    ])
  found.begin([pool(1)])
  found.add([one], [pool(2)])
  assert.equal(rows(), [
    [2, true],
    [0, false],
  ])
  found.add([other], [pool(3, other)])
  assert.equal(rows(), [
    [2, true],
    [1, true],
  ])
  found.begin([])
  assert.equal(rows(), [
    [0, false],
    [0, false],
  ])
})
s.run()
