import {
  type Address,
  encodeAbiParameters,
  type Hex,
  keccak256,
  numberToHex,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import { factory, hub, openDex } from '../../../../fixtures/meta/directRouters.ts'
import { usdc, weth } from '../../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { nativeToken } from '../../provider/source.ts'
import { createUniswapV4 } from './uniswapV4.ts'

/** What it finds; `payloads.test.ts` has what it tells, `quotedSources.fork.test.ts` a real one. */
const s = suite('meta/direct/uniswapV4')
const { signal } = new AbortController()
const key = parseAbiParameters('address, address, uint24, int24, address')
const spacings: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }

/** Where the manager has the price of a pool without hooks (`StateLibrary` of v4-core). */
function slotOf(lower: Address, upper: Address, fee: number): Hex {
  const spacing = spacings[fee] ?? 0
  const id = keccak256(encodeAbiParameters(key, [lower, upper, fee, spacing, zeroAddress]))
  return keccak256(encodeAbiParameters(parseAbiParameters('bytes32, uint256'), [id, 6n]))
}
function open(...pools: readonly (readonly [lower: Address, upper: Address, fee: number])[]) {
  const slots = new Set(pools.map((pool) => slotOf(...pool)))
  const word = (slot: Hex) => numberToHex(slots.has(slot) ? 7 : 0, { size: 32 })
  const { dex } = openDex(
    { [factory]: { 'extsload(bytes32) returns (bytes32)': word } },
    { hubTokens: [hub] },
  )
  const family = createUniswapV4({ now: () => 0 })
  return async (tokenIn: Address, tokenOut: Address) => {
    const paths = await family.listPaths(dex, { tokenIn, tokenOut, signal })
    return paths.map(({ tokens, keys }) => [...tokens, ...keys])
  }
}

s('finds pools of each fee by the order of their tokens, bare value and wrapped', async () => {
  const list = open([weth, usdc, 3_000], [zeroAddress, usdc, 500], [zeroAddress, usdc, 10_000])
  const found = [
    [usdc, zeroAddress, 500],
    [usdc, zeroAddress, 10_000],
    [usdc, weth, 3_000],
  ]
  // Whoever wants the wrapped currency has it of either, and so has who wants the bare one.
  for (const tokenOut of [weth, nativeToken]) assert.equal(await list(usdc, tokenOut), found)
  const back = found.map(([from, to, fee]) => [to, from, fee])
  assert.equal(await list(nativeToken, usdc), back)
})
s('goes over bare value and over the hubs, but never through where it stands', async () => {
  const list = open(
    [hub, usdc, 100],
    [zeroAddress, hub, 100],
    [zeroAddress, usdc, 100],
    [hub, weth, 500],
  )
  assert.equal(await list(usdc, hub), [
    [usdc, hub, 100],
    [usdc, zeroAddress, hub, 100, 100],
  ])
  assert.equal(await list(usdc, weth), [
    [usdc, zeroAddress, 100],
    [usdc, hub, zeroAddress, 100, 100],
    [usdc, hub, weth, 100, 500],
  ])
})
s('knows no pool that has no price', async () => {
  assert.equal(await open()(usdc, weth), [])
})
s.run()
