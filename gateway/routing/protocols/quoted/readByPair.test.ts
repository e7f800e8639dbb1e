import { type Hex, toFunctionSelector } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import type { Pair, PairPages } from '../../reads/readDeepest.ts'
import { createViewNode, fakeAddress, fakeDex, type Told } from '../../testing/viewNode.ts'
import { dodoV2Family } from './dodoV2Chain.ts'
import { maverickV2Family } from './maverickV2Chain.ts'
import { readByPair } from './readByPair.ts'

const s = suite('factories that list the pools of a pair')
const [a1, a2, b1, b2, b3] = [1, 2, 3, 4, 5].map(fakeAddress) as [Hex, Hex, Hex, Hex, Hex]
const blockNumber = 7n
const dex = fakeDex({ protocol: 'dodo_v2' })
const selector = toFunctionSelector('list(address,address)')

/** A factory that says of pairs, by their places, that their lists are long. */
async function askLong(
  places: readonly number[],
  { a = [a1, a2], b = [b1, b2, b3], isThrifty = false } = {},
) {
  const pairs: Pair[] = []
  const sizes: number[] = []
  const pages: PairPages = {
    size: 1,
    ask(_, pair) {
      pairs.push(pair)
      return []
    },
    read: () => [],
  }
  const { deps } = createViewNode([], {
    findLists: (_: Hex, __: Hex, some: readonly Hex[], others: readonly Hex[]) => {
      sizes.push(some.length * others.length)
      return [[], places.map(BigInt)]
    },
  })
  const parameters = { dex, a, b, blockNumber, selector, pages, isThrifty }
  const pools = await readByPair(deps, parameters)
  assert.equal(pools, [])
  return { pairs: pairs.map((pair) => pair.map((token) => token.toLowerCase())), sizes }
}

s('are asked page by page about those whose list is long, in its order [teeth/pairs]', async () => {
  const { pairs } = await askLong([0, 1, 4, 6, 9, 11])
  assert.equal(pairs, [
    [a1, b1],
    [b1, a1],
    [a1, b3],
    [a2, b1],
    [b2, a2],
    [b3, a2],
  ])
})
s('name no pair that nobody has asked about [teeth/pairs]', async () => {
  const failed = await askLong([12]).catch((error: Error) => error.message)
  assert.is(failed, 'the lens names pair 12 of 6')
})
s('are asked about 800 pairs at once, and 2,400 where calls are few [teeth/pairs]', async () => {
  const b = Array.from({ length: 2_401 }, (_, n) => fakeAddress(1_000 + n))
  assert.equal((await askLong([], { a: [a1], b: b.slice(0, 801) })).sizes, [800, 1])
  assert.equal((await askLong([], { a: [a1], b, isThrifty: true })).sizes, [2_400, 1])
})

const [pool, deep, far] = [fakeAddress(11), fakeAddress(12), fakeAddress(13)]
const heldBy = (owner: Hex, amount: bigint): Told => [
  a1,
  'balanceOf(address)(uint256)',
  [amount],
  [owner],
]
/** The second of a pair's two orders. */
const lens = { findLists: () => [[pool], [1n]] }
const find = async (family: typeof dodoV2Family, told: readonly Told[]) => {
  const { deps } = createViewNode(told, lens)
  const pools = await family.find(deps, { dex, a: [a1], b: [b1], blockNumber })
  return pools.map(({ address }) => address.toLowerCase()).toSorted()
}

s('of DODO are asked for one pool after the other [teeth/pairs]', async () => {
  const entry = (at: bigint, address: Hex): Told => [
    dex.factory,
    '_REGISTRY_(address,address,uint256)(address)',
    [address],
    [b1, a1, at],
  ]
  assert.equal(await find(dodoV2Family, [entry(0n, pool), entry(63n, deep)]), [pool, deep])
})
s(
  'of Maverick are asked for sixty-four at a time, and keep the deepest [teeth/pairs]',
  async () => {
    const page = (from: bigint, addresses: readonly Hex[]): Told => [
      dex.factory,
      'lookup(address,address,uint256,uint256)(address[])',
      [addresses],
      [b1, a1, from, from + 64n],
    ]
    const shallow = Array.from({ length: 64 }, (_, n) => fakeAddress(100 + n))
    const told = [page(0n, shallow.toSpliced(63, 1, deep)), page(64n, [far])]
    const found = await find(maverickV2Family, [...told, heldBy(deep, 5n), heldBy(far, 7n)])
    assert.equal(
      [deep, far, pool].map((one) => found.includes(one)),
      [true, true, true],
    )
  },
)
s.run()
