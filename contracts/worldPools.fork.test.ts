import {
  type Address,
  createClient,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  isAddressEqual,
  maxUint256,
  pad,
  parseAbi,
  zeroAddress,
} from 'viem'
import { multicall, readContract } from 'viem/actions'
import { send } from '../fixtures/chains/send.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startWorldChain, type WorldManifest } from '../fixtures/world.ts'
import { swapExecutor } from './artifacts.ts'
import { stepKinds } from './stepKinds.ts'

const s = suite('SwapExecutor through every pool of the offline world')
const poolAbi = parseAbi([
  'function getPoolId() view returns (bytes32)',
  'function getVault() view returns (address)',
  'function coins(uint256) view returns (address)',
  'function getTokenX() view returns (address)',
])
const tickSpacings: Readonly<Record<number, number>> = {
  100: 1,
  500: 10,
  3000: 60,
  10000: 200,
  // A fee that the hook names.
  [0x80_0000]: 200,
}
const recipient = '0x00000000000000000000000000000000000000AA'

type Pool = WorldManifest['pools'][number]
type Direction = { readonly tokenIn: Address; readonly tokenOut: Address }
type Step = { readonly kind: number; readonly pool: Address; readonly data: Hex }
type Family = (parameters: {
  readonly client: ReturnType<typeof createClient>
  readonly pool: Pool
  readonly direction: Direction
}) => Promise<Step> | Step

const concentrated: Family = ({ pool }) => ({
  kind: stepKinds.uniswapV3,
  pool: pool.address,
  data: '0x',
})
const solidly: Family = ({ pool }) => ({ kind: stepKinds.solidly, pool: pool.address, data: '0x' })
const balancerV2: Family = async ({ client, pool: { address } }) => ({
  kind: stepKinds.balancerV2,
  pool: await readContract(client, { address, abi: poolAbi, functionName: 'getVault' }),
  data: await readContract(client, { address, abi: poolAbi, functionName: 'getPoolId' }),
})
const curve: Family = async ({ client, pool: { address, tokens }, direction }) => {
  const coins = await Promise.all(
    tokens.map((_, i) =>
      readContract(client, { address, abi: poolAbi, functionName: 'coins', args: [BigInt(i)] }),
    ),
  )
  const indexOf = (token: Address) => BigInt(coins.findIndex((coin) => isAddressEqual(coin, token)))
  return {
    kind: stepKinds.curveStable,
    pool: address,
    data: encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bool' }],
      [indexOf(direction.tokenIn), indexOf(direction.tokenOut), false],
    ),
  }
}
const flags = (...values: boolean[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: 'bool' })),
    values,
  )
const sellsFirst = (tokens: readonly Address[], { tokenIn }: Direction): boolean =>
  isAddressEqual(tokens[0] ?? zeroAddress, tokenIn)
const balancerV3: Family = ({ pool: { address } }) => ({
  kind: stepKinds.balancerV3,
  pool: '0xbA1333333333a1BA1108E8412f11850A5C319bA9',
  data: encodeAbiParameters([{ type: 'address' }], [address]),
})
/** How each family of the world becomes a step; a family missing here fails the test. */
const families: Readonly<Record<string, Family>> = {
  uniswap_v2: ({ pool }) => ({
    kind: stepKinds.uniswapV2,
    pool: pool.address,
    data: encodeAbiParameters([{ type: 'uint256' }], [BigInt(pool.feePips)]),
  }),
  uniswap_v3: concentrated,
  pancake_v3: concentrated,
  algebra_integral: concentrated,
  slipstream: concentrated,
  camelot_v3: concentrated,
  ramses_v2: concentrated,
  aerodrome_v2: solidly,
  ramses_v1: solidly,
  camelot_v2: solidly,
  uniswap_v4: ({ pool }) => ({
    kind: stepKinds.uniswapV4,
    pool: pool.address,
    data: encodeAbiParameters(
      [
        {
          type: 'tuple',
          components: [
            { name: 'currency0', type: 'address' },
            { name: 'currency1', type: 'address' },
            { name: 'fee', type: 'uint24' },
            { name: 'tickSpacing', type: 'int24' },
            { name: 'hooks', type: 'address' },
          ],
        },
        { type: 'bytes' },
      ],
      [
        {
          currency0: pool.tokens[0],
          currency1: pool.tokens[1],
          fee: pool.feePips,
          tickSpacing: tickSpacings[pool.feePips] ?? 0,
          hooks: pool.hooks ?? zeroAddress,
        },
        '0x',
      ],
    ),
  }),
  balancer_v3_weighted: balancerV3,
  balancer_v3_stable: balancerV3,
  balancer_v3_quoted: balancerV3,
  liquidity_book: async ({ client, pool: { address }, direction: { tokenIn } }) => {
    const tokenX = await readContract(client, { address, abi: poolAbi, functionName: 'getTokenX' })
    const data = encodeAbiParameters([{ type: 'bool' }], [isAddressEqual(tokenX, tokenIn)])
    return { kind: stepKinds.liquidityBook, pool: address, data }
  },
  balancer_v2_weighted: balancerV2,
  balancer_v2_stable: balancerV2,
  curve_stable_ng: curve,
  curve_plain: curve,
  curve_crypto: ({ pool: { address, tokens }, direction: { tokenIn, tokenOut } }) => {
    const indexes = [tokenIn, tokenOut].map((token) =>
      BigInt(tokens.findIndex((coin) => isAddressEqual(coin, token))),
    )
    const types = [{ type: 'uint256' }, { type: 'uint256' }]
    return { kind: stepKinds.curveCrypto, pool: address, data: encodeAbiParameters(types, indexes) }
  },
  maverick_v2: ({ pool: { address, tokens }, direction }) => ({
    kind: stepKinds.maverickV2,
    pool: address,
    data: flags(sellsFirst(tokens, direction)),
  }),
  dodo_v2: ({ pool: { address, tokens }, direction }) => ({
    kind: stepKinds.dodoV2,
    pool: address,
    data: flags(sellsFirst(tokens, direction)),
  }),
  trident: ({ pool }) => ({
    kind: stepKinds.trident,
    pool: pool.address,
    data: encodeAbiParameters(
      [{ type: 'address' }],
      ['0x74c764D41B77DBbb4fe771daB1939B00b146894A'],
    ),
  }),
  psm3: ({ pool }) => ({ kind: stepKinds.psm3, pool: pool.address, data: '0x' }),
  aave_v3: ({ pool, direction: { tokenIn } }) => ({
    kind: stepKinds.aaveV3,
    pool: pool.address,
    data: flags(pad(tokenIn).toLowerCase() === pool.id),
  }),
  erc4626: ({ pool }) => ({ kind: stepKinds.erc4626, pool: pool.address, data: '0x' }),
  woofi: ({ pool }) => ({ kind: stepKinds.woofi, pool: pool.address, data: '0x' }),
  // Native currency is the first of its pair: the zero address sorts before all others.
  fluid: ({ pool: { address, tokens }, direction }) => {
    const isNativePair = tokens[0] === zeroAddress
    const second = tokens[1] ?? zeroAddress
    const data = flags(!isAddressEqual(second, direction.tokenIn), isNativePair)
    return { kind: stepKinds.fluid, pool: address, data }
  },
}

for (const chainId of [8453, 42161])
  s(`delivers from each, both ways, and keeps nothing, on ${chainId}`, async () => {
    const chain = await startWorldChain({ chainId })
    try {
      await swapThroughAll(chain)
    } finally {
      await chain.close()
    }
  })

async function swapThroughAll({
  rpcUrl,
  manifest,
}: {
  readonly rpcUrl: string
  readonly manifest: WorldManifest
}) {
  const client = createClient({ transport: http(rpcUrl) })
  const [taker] = manifest.accounts
  if (!taker) throw new Error('the world has no accounts')
  const { executor } = manifest
  const weth = manifest.tokens['WETH']?.address ?? zeroAddress
  const act = (to: Address, data: Hex) =>
    send({ rpcUrl, privateKey: taker.privateKey }, { to, data, gas: 5_000_000n })
  const balances = (owner: Address, tokens: readonly Address[]) =>
    multicall(client, {
      multicallAddress: manifest.infrastructure['multicall3'] ?? zeroAddress,
      allowFailure: false,
      contracts: tokens.map((address) => ({
        address,
        abi: erc20Abi,
        functionName: 'balanceOf' as const,
        args: [owner] as const,
      })),
    })
  const everyToken = Object.values(manifest.tokens).map(({ address }) => address)
  const approve = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [executor, maxUint256],
  })
  for (const token of everyToken) await act(token, approve)
  const held = await balances(taker.address, everyToken)
  const funds = new Map(everyToken.map((token, i) => [token.toLowerCase(), held[i] ?? 0n]))

  for (const pool of manifest.pools) {
    const protocol = manifest.dexes.find(({ name }) => name === pool.dex)?.protocol ?? ''
    const family = families[protocol]
    if (!family) throw new Error(`no step for ${protocol}`)
    // Where a pool holds native currency, the step names the wrapped token.
    const wrap = (token: Address) => (isAddressEqual(token, zeroAddress) ? weth : token)
    const [first, second] = [wrap(pool.tokens[0]), wrap(pool.tokens[1])]
    for (const [tokenIn, tokenOut] of [
      [first, second],
      [second, first],
    ] as const) {
      const name = `${pool.dex} ${pool.address} ${tokenIn}`
      const amountIn = (funds.get(tokenIn.toLowerCase()) ?? 0n) / 10_000n
      assert.ok(amountIn > 0n, `${name}: nothing to sell`)
      const step = await family({ client, pool, direction: { tokenIn, tokenOut } })
      // The minimum makes success mean delivery.
      const data = encodeFunctionData({
        abi: swapExecutor.abi,
        functionName: 'swap',
        args: [
          { tokenIn, amountIn, tokenOut, minAmountOut: 1n, recipient, deadline: 1n << 64n },
          [{ ...step, tokenIn, tokenOut, share: 1n << 64n }],
        ],
      })
      assert.is((await act(executor, data)).status, 'success', name)
    }
  }
  const kept = await balances(executor, everyToken)
  assert.ok(
    kept.every((amount) => amount <= 1n),
    `executor keeps ${kept}`,
  )
}

s.run()
