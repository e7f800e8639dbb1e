import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  pad,
  parseAbi,
  zeroAddress,
  zeroHash,
} from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { getChain } from '../../../chain/chains.ts'
import { createViewNode, fakeAddress, fakeDex, type Told } from '../../testing/viewNode.ts'
import { findHooked, hookedQuoter } from './readHookedPools.ts'

const s = suite('pools with hooks that act on swaps')
const [token0, token1, manager, quoter] = [1, 2, 20, 4].map(fakeAddress) as [Hex, Hex, Hex, Hex]
const weth = '0x4200000000000000000000000000000000000006'
const hooks = getAddress(fakeAddress(0xab))
type Way = readonly [fee: number, tickSpacing: number]
const dynamic: Way = [0x80_0000, 200]
const dexOf = (keys: readonly Way[]) =>
  fakeDex({
    protocol: 'uniswap_v4',
    factory: manager,
    feesPips: [],
    knownHooks: [{ name: 'h', source: 's', date: 'd', addresses: [hooks], keys }],
  })

const word = (value: Hex | number) =>
  (typeof value === 'number' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0')
const idOf = (currency0: Hex, currency1: Hex, [fee, spacing] = dynamic) =>
  keccak256(`0x${[currency0, currency1, fee, spacing, hooks].map(word).join('')}`)
/** What a manager says that stands where it keeps the prices of its pools. */
const priced = (ids: readonly Hex[], prices: readonly Hex[]): Told => [
  manager,
  'extsload(bytes32[])(bytes32[])',
  [prices],
  [ids.map((id) => keccak256(`${id}${word(6)}`))],
]
async function look(
  told: readonly Told[],
  {
    a = [token0],
    b = [weth],
    ways = [dynamic],
  }: {
    readonly a?: readonly Address[]
    readonly b?: readonly Address[]
    readonly ways?: readonly Way[]
  } = {},
) {
  const { deps } = createViewNode(told)
  return findHooked(deps, { dex: dexOf(ways), a, b, blockNumber: 7n })
}

s('are known as launchpads open them, where a price stands [teeth/managed-finds]', async () => {
  const both = [idOf(zeroAddress, token0), idOf(token0, weth)]
  const [fee, tickSpacing] = dynamic
  const key = { currency0: token0, currency1: weth, fee, tickSpacing, hooks }
  const one = pad('0x1')
  const lookUp = (told: readonly Told[]) => look(told, { b: [zeroAddress, weth] })
  const [found, ...more] = await lookUp([priced(both, [zeroHash, one])])
  assert.equal([found?.id, found?.address, found?.key, more], [both[1], manager, key, []])
  // Without a price nobody has opened it.
  assert.equal(await lookUp([priced(both, [zeroHash, zeroHash])]), [])
  assert.equal(await lookUp([]), [])
  const usdc = getChain(8453)?.usdc.address ?? zeroAddress
  const dollars = idOf(token0, usdc)
  assert.equal(
    (await look([priced([dollars], [one])], { b: [usdc] })).map(({ id }) => id),
    [dollars],
  )
})
s('are looked for once, and against no other tokens [teeth/managed-finds]', async () => {
  const one = pad('0x1')
  const pairs = { a: [token0, weth], b: [weth, token0] } as const
  const found = await look([priced([idOf(token0, weth)], [one])], pairs)
  assert.is(found.length, 1)
  const other = idOf(token0, token1)
  assert.equal(await look([priced([other], [one])], { b: [token1] }), [])
})
s('are asked for ninety at a time [teeth/managed-finds]', async () => {
  const waysOf = (count: number) => Array.from({ length: count }, (_, n): Way => [n, 1])
  const idsOf = (ways: readonly Way[]) => ways.map((way) => idOf(token0, weth, way))
  const pricesOf = (ids: readonly Hex[]) =>
    ids.map((_, k) => (k === ids.length - 1 ? pad('0x1') : zeroHash))
  const ways = waysOf(91)
  const parts = [idsOf(ways.slice(0, 90)), idsOf(ways.slice(90))]
  const told = parts.map((ids) => priced(ids, pricesOf(ids)))
  assert.equal(
    (await look(told, { ways })).map(({ id }) => id),
    parts.map((ids) => ids.at(-1)),
  )
})
s('are asked of their quoter by their whole key [teeth/managed-finds]', () => {
  const abi = parseAbi([
    'function quoteExactInputSingle(((address,address,uint24,int24,address),bool,uint128,bytes)) returns (uint256,uint256)',
  ])
  const key = { currency0: token0, currency1: weth, fee: 500, tickSpacing: 10, hooks } as const
  const record = { quoter, address: manager, key } as never
  const ask = (i: number, amountIn: bigint) =>
    hookedQuoter.question(record, { i, j: 1 - i, amountIn })
  const data = (zeroForOne: boolean, amount: bigint) =>
    encodeFunctionData({ abi, args: [[[token0, weth, 500, 10, hooks], zeroForOne, amount, '0x']] })
  assert.equal(ask(0, 77n), { target: quoter, data: data(true, 77n) })
  assert.equal(ask(1, 1n << 200n).data, data(false, (1n << 128n) - 1n))
  const alone = hookedQuoter.question({ address: manager, key } as never, {
    i: 0,
    j: 1,
    amountIn: 1n,
  })
  assert.is(alone.target, manager)
  const read = (amountIn: bigint) =>
    hookedQuoter.readAnswer([5n, 6n], { i: 0, j: 1, amountIn }, record)
  assert.equal([read((1n << 128n) - 1n), read(1n << 128n)], [5n, undefined])
})
s.run()
