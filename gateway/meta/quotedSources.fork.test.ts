import { type Address, encodeFunctionData, erc20Abi, getAddress, parseAbi, zeroAddress } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { send } from '../../fixtures/chains/send.ts'
import { putQuotedRouters } from '../../fixtures/meta/quotedRouters.ts'
import { startWorldMeta } from '../../fixtures/meta/worldMeta.ts'
import { createWorldTrader } from '../../fixtures/meta/worldTrader.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { startWorldChain } from '../../fixtures/world.ts'
import { getDexes } from '../chain/chains.ts'
import { nativeSpellings } from './provider/provider.ts'

/** Families that the routing service asks by their quoters, through their own routers or pools. */
/** Families that only the routing service trades. */
const routingOnly = [
  'ramses_v1',
  'ramses_v2',
  'trident',
  'balancer_v3_quoted',
  'psm3',
  'aave_v3',
  'erc4626',
]
const s = suite('meta quoted sources')
const curveAbi = parseAbi([
  'function deploy_plain_pool(address[] coins, uint256 amplification, uint256 fee) returns (address)',
  'function find_pool_for_coins(address from, address to, uint256 skip) view returns (address)',
  'function add_liquidity(uint256[] amounts, uint256 minimum) payable returns (uint256)',
])

/** A plain Curve pool of native currency and wstETH: the world has none. */
async function openNativeCurve({
  chainId,
  rpcUrl,
  manifest,
}: Awaited<ReturnType<typeof startWorldChain>>): Promise<void> {
  const account = manifest.accounts[2]
  const wsteth = manifest.tokens['wstETH']
  const factory = getDexes(chainId).find(({ name }) => name === 'curve-plain')?.factory
  if (!account || !wsteth || !factory) throw new Error('the world lacks what the pool needs')
  const signer = { rpcUrl, privateKey: account.privateKey }
  const call = (
    to: Address,
    functionName: 'deploy_plain_pool' | 'add_liquidity',
    { args, value }: { readonly args: never; readonly value?: bigint },
  ) => send(signer, { to, value, data: encodeFunctionData({ abi: curveAbi, functionName, args }) })
  const coins = [nativeSpellings.e, getAddress(wsteth.address)] as const
  await call(factory, 'deploy_plain_pool', { args: [coins, 200n, 4_000_000n] as never })
  const find = encodeFunctionData({
    abi: curveAbi,
    functionName: 'find_pool_for_coins',
    args: [...coins, 0n],
  })
  const word = await createRpc(rpcUrl)('eth_call', { to: factory, data: find }, 'latest')
  const pool = getAddress(`0x${String(word).slice(-40)}`)
  const depth = 3n * 10n ** 18n
  const approve = { abi: erc20Abi, functionName: 'approve', args: [pool, depth] } as const
  await send(signer, { to: coins[1], data: encodeFunctionData(approve) })
  const filled = await call(pool, 'add_liquidity', {
    args: [[depth, depth], 0n] as never,
    value: depth,
  })
  assert.is(filled.status, 'success')
}

const stand = await startWorldMeta({
  prepare: async (chain) => {
    await putQuotedRouters(chain)
    await openNativeCurve(chain)
  },
})
s.after(() => stand.close())

type Trade = readonly [source: string, tokenIn: string, tokenOut: string, amountIn: bigint]
const ether = 10n ** 18n
const everywhere: readonly Trade[] = [
  ['curve-tricrypto-ng', 'USDC', 'WETH', 400_000_000n],
  ['curve-tricrypto-ng', 'WBTC', 'USDC', 1_000_000n],
  ['curve-plain', 'ETH', 'wstETH', ether / 10n],
  ['curve-plain', 'wstETH', 'ETH', ether / 10n],
  ['fluid-dex', 'ETH', 'wstETH', ether],
  ['fluid-dex', 'wstETH', 'ETH', ether],
  ['fluid-dex', 'USDT', 'USDC', 300_000_000n],
  ['woofi-v2', 'USDC', 'WETH', 400_000_000n],
  ['woofi-v2', 'ETH', 'USDC', ether],
  ['woofi-v2', 'USDC', 'ETH', 400_000_000n],
]
const trades: Readonly<Record<number, readonly Trade[]>> = {
  8453: [
    ...everywhere,
    ['curve-twocrypto-ng', 'cbBTC', 'WETH', 1_000_000n],
    ['maverick-v2', 'cbETH', 'WETH', ether],
    ['maverick-v2', 'USDC', 'VIRTUAL', 100_000_000n],
    ['dodo-v2-dvm', 'AERO', 'USDC', 10n * ether],
    ['dodo-v2-dvm', 'USDC', 'EURC', 100_000_000n],
    ['woofi-v2', 'cbBTC', 'WETH', 1_000_000n],
  ],
  42161: [
    ...everywhere,
    ['curve-twocrypto-ng', 'CRV', 'WETH', 10n * ether],
    ['maverick-v2', 'ARB', 'USDC', 10n * ether],
    ['maverick-v2', 'WETH', 'weETH', ether],
    ['dodo-v2-dvm', 'USDC', 'USDC.e', 100_000_000n],
    ['dodo-v2-dvm', 'USDC', 'EURS', 100_000_000n],
    ['woofi-v2', 'ARB', 'WBTC', 5_000n * ether],
  ],
}

for (const { chainId } of stand.world) {
  const trader = createWorldTrader(stand, chainId)
  const { owner, token, approve, measure, undone, signer } = trader

  for (const [name, from, to, amountIn] of trades[chainId] ?? [])
    s(
      `${chainId}: ${name} gives ${to} for ${from} as quoted, to the wei [meta/quoted-delivers]`,
      async () => {
        const [tokenIn, tokenOut] = [token(from), token(to)]
        const asked = { tokenIn, tokenOut, amountIn: `${amountIn}`, calldataPolicy: 'strict' }
        const { quotes, failures } = await trader.quote(asked)
        const quote = quotes.find(({ provider }) => provider === name)
        assert.ok(quote, JSON.stringify(failures))
        if (!quote) return
        assert.is(quote.simulation.status, 'success', quote.simulation.error)
        assert.is(quote.simulation.actualOutput, quote.amountOut)
        assert.is(quote.approveTarget === null, tokenIn === zeroAddress)
        const delivered = await undone(async () => {
          if (quote.approveTarget) await approve(tokenIn, quote.approveTarget, amountIn)
          return measure(tokenOut, () =>
            send(signer, { to: quote.target, data: quote.calldata, value: BigInt(quote.value) }),
          )
        })
        assert.is(delivered, BigInt(quote.amountOut))
      },
    )

  s(
    `${chainId}: every exchange of the routing service is a source or left out with a reason [meta/every-exchange]`,
    async () => {
      const res = await fetch(`${stand.url}/sources`)
      const { sources, leftOut } = (await res.json()) as {
        sources: { name: string; chainIds: number[]; note?: string }[]
        leftOut: { name: string; chainId: number; reason: string }[]
      }
      for (const { name, router, protocol } of getDexes(chainId)) {
        const out = leftOut.find((one) => one.name === name && one.chainId === chainId)
        if (out && routingOnly.includes(protocol))
          assert.is(out.reason, 'its family has no router here', name)
        else if (out) assert.ok(!router && out.reason === 'no router of its own is known', name)
        else
          assert.ok(
            sources.some((one) => one.name === name),
            name,
          )
      }
      const asked = sources.filter(({ chainIds }) => chainIds.includes(chainId))
      for (const [name] of trades[chainId] ?? []) assert.ok(asked.some((one) => one.name === name))
      const balancer = asked.find(({ name }) => name === 'balancer-v3-weighted')
      assert.match(balancer?.note ?? '', 'Permit2')
    },
  )

  s(`${chainId}: a payload of each family reverts below its guard [meta/guards]`, async () => {
    const first = new Map((trades[chainId] ?? []).toReversed().map((trade) => [trade[0], trade]))
    for (const [name, from, to, amountIn] of first.values()) {
      const [tokenIn, tokenOut] = [token(from), token(to)]
      const body = { chainId, tokenIn, tokenOut, amountIn: `${amountIn}`, taker: owner }
      const { quotes } = await stand.quote({ ...body, slippageBps: 0 })
      const quote = quotes.find(({ provider }) => provider === name)
      assert.ok(quote, name)
      if (!quote) return
      assert.is(quote.minAmountOut, quote.amountOut, name)
      await undone(async () => {
        if (quote.approveTarget) await approve(tokenIn, quote.approveTarget, 2n * amountIn)
        const run = () =>
          send(signer, {
            to: quote.target,
            data: quote.calldata,
            value: BigInt(quote.value),
            gas: 2_000_000n,
          })
        assert.is((await run()).status, 'success', name)
        // The first one moved the price: the same guard is now above what there is.
        assert.is((await run()).status, 'reverted', name)
      })
    }
  })
}
s.run()
