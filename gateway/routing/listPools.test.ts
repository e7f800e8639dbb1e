import { createClient, custom, getAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import { toViemChain } from '../chain/client.ts'
import { countPools, kindOf } from './countPools.ts'
import { listPools } from './listPools.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { readFeeds } from './readFeeds.ts'
import { followPools } from './sync/followedPools.ts'
import { fakeAddress } from './testing/viewNode.ts'
import { holdersOf } from './tokenHolders.ts'

const s = suite('pools as they are shown')
const [usd, eth] = [fakeAddress(1), fakeAddress(2)]
function pool(n: number, own: object = {}): PoolRecord {
  const address = fakeAddress(100 + n)
  return {
    id: address,
    address: getAddress(address),
    dex: 'uniswap-v2',
    protocol: 'uniswap_v2',
    tokens: [usd, eth],
    feePips: 3_000,
    changedBlock: 1n,
    swapsSeen: n,
    isFresh: [false, false],
    reserve0: BigInt(n),
    reserve1: 5n,
    ...own,
  } as PoolRecord
}
const records = [
  pool(1),
  pool(3, { dex: 'aerodrome' }),
  pool(2, { tokens: [usd, fakeAddress(3)] }),
  pool(4, { protocol: 'woofi', quoter: fakeAddress(9), amounts: [], outputs: [], held: [] }),
]
const pools = followPools(records)
const tokens = new Map([
  [usd, { address: usd, symbol: 'USDC', decimals: 6 }],
  [eth, { address: eth, symbol: 'WETH', decimals: 18 }],
])
const leftOut = [
  { dex: 'aerodrome', pool: fakeAddress(50), reason: 'it reverted' },
  { dex: 'uniswap-v2', pool: fakeAddress(51), reason: 'endless' },
]
const chain = {
  sync: {
    current: () => ({ head: { number: 7n }, pools }),
    tokens: () => tokens,
    leftOutPools: () => leftOut,
  },
  probes: { verdictOf: (id: string) => (id === records[0]?.id ? 'works' : undefined) },
} as never
const list = (search: string, limit = 10) => listPools(chain, { search, limit })
const places = (search: string, limit?: number) =>
  list(search, limit)?.pools.map(({ record }) => records.indexOf(record))

s(
  'are found by all words of their names and addresses, the busiest first [teeth/list-pools]',
  () => {
    assert.equal(places(''), [3, 1, 2, 0])
    assert.equal(places('weth'), [3, 1, 0])
    assert.equal(places('  AERO   usdc '), [1])
    assert.equal([places('aero woofi'), places('woofi')], [[], [3]])
    assert.equal(places(fakeAddress(102).slice(10)), [2])
    assert.equal(places('', 2), [3, 1])
    const { block, total, found, pools: shown } = list('weth', 1) ?? {}
    assert.equal([block, total, found, shown?.length], [7n, 4, 3, 1])
  },
)
s('have symbols, verdicts, and who is quoted [teeth/list-pools]', () => {
  const [busiest, , unnamed, first] = list('')?.pools ?? []
  assert.equal([busiest?.isQuoted, first?.isQuoted], [true, false])
  assert.equal([busiest?.verdict, first?.verdict], [undefined, 'works'])
  assert.equal(unnamed?.tokens, [
    { address: usd, symbol: 'USDC' },
    { address: fakeAddress(3), symbol: undefined },
  ])
  assert.equal(list('aero')?.leftOut, [leftOut[0]])
  assert.equal([list('endless')?.leftOut, list('', 1)?.leftOut.length], [[leftOut[1]], 1])
  const unread = { sync: { current: () => undefined } } as never
  assert.is(listPools(unread, { search: '', limit: 1 }), undefined)
})
s('are counted by what they are made of [teeth/list-pools]', () => {
  const kinds = [pool(1), { sqrtPriceX96: 1n }, { sqrtPriceX96: 1n, key: {} }, { amounts: [] }]
  assert.equal(
    kinds.map((each) => kindOf(each as PoolRecord)),
    ['v2', 'v3', 'v4', 'other'],
  )
  const counted = countPools(pools)
  assert.equal([counted.total, counted.v2, counted.v3, counted.v4, counted.other], [4, 4, 0, 0, 0])
  assert.is(countPools(pools), counted)
})
s('hold tokens, the deepest first, each contract once and eight at most [teeth/list-pools]', () => {
  const many = Array.from({ length: 10 }, (_, n) => pool(n + 1))
  const vault = getAddress(fakeAddress(70))
  const behind = [5, 40].map((n) => pool(n, { vault, tokens: [eth, usd] }))
  const state = { pools: followPools([...many, ...behind]) }
  const holders = holdersOf(state, usd.toUpperCase().replace('0X', '0x'))
  const ofPairs = [10, 9, 8, 7, 6].map((n) => getAddress(fakeAddress(100 + n)))
  // The vault's share of it is 5, whichever of its pools says so.
  assert.equal(holders.slice(0, 5), ofPairs)
  assert.equal([holders.length, holders.filter((one) => one === vault).length], [8, 1])
  assert.is(holdersOf(state, eth)[0], vault, '40 of it')
  assert.equal(holdersOf(state, fakeAddress(77)), [])
})

const feedOf = (n: number) => ({ token: getAddress(fakeAddress(n)), feed: fakeAddress(200 + n) })

s('have feeds, but for those that say nothing that can be used [teeth/feeds]', async () => {
  const word = (value: bigint | number) =>
    BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')
  const round = (answer: bigint, updatedAt: number) =>
    `0x${[1n, answer, 5n, updatedAt, 1n].map(word).join('')}`
  const said: Readonly<Record<number, readonly [round: string, decimals: number]>> = {
    1: [round(300n, 9), 8],
    2: [round(0n, 9), 8],
    3: [round(-1n, 9), 8],
    4: [round(300n, 0), 8],
    5: [round(300n, 9), 36],
    6: [round(300n, 9), 37],
  }
  const request = async ({ params }: { readonly params: readonly unknown[] }) => {
    const [{ to, data }] = params as [{ readonly to: string; readonly data: string }]
    const found = said[Number(BigInt(to) - BigInt(fakeAddress(200)))]
    if (!found) throw new Error('nobody is there')
    return data.startsWith('0x313ce567') ? `0x${word(found[1])}` : found[0]
  }
  const transport = custom({ request }, { retryCount: 0 })
  const client = createClient({ chain: toViemChain(base), transport })
  const feeds = [1, 2, 3, 4, 5, 6, 7].map(feedOf)
  assert.equal(await readFeeds({ client }, { feeds }), [
    { token: fakeAddress(1), answer: 300n, decimals: 8, updatedAtSecs: 9n },
    { token: fakeAddress(5), answer: 300n, decimals: 36, updatedAtSecs: 9n },
  ])
})

s('hold tokens last where nobody knows how deep they are [teeth/list-pools]', () => {
  const sampled = { protocol: 'woofi', quoter: fakeAddress(9), amounts: [], outputs: [], held: [] }
  const state = { pools: followPools([pool(9, sampled), pool(2), pool(3)]) }
  assert.equal(
    holdersOf(state, usd),
    [3, 2, 9].map((n) => getAddress(fakeAddress(100 + n))),
  )
})

s.run()
