import { encodeFunctionData, getAddress, zeroAddress } from 'viem'
import { readContract } from 'viem/actions'
import { userProxyFactoryV6 } from '../../contracts/artifacts.ts'
import { send } from '../../fixtures/chains/send.ts'
import { startWorldMeta } from '../../fixtures/meta/worldMeta.ts'
import { createWorldTrader } from '../../fixtures/meta/worldTrader.ts'
import { assert, suite } from '../../fixtures/test.ts'

/** Meta over HTTP on the offline world: what it quotes is what the chain delivers. */
const s = suite('meta on chain')
const stand = await startWorldMeta()
const { world, quote } = stand
s.after(() => stand.close())

const everywhere = [
  'uniswap-v4',
  'uniswap-v2',
  'uniswap-v3',
  'sushiswap-v2',
  'pancakeswap-v3',
  'algebra-integral',
  'balancer-v2-weighted',
]
const books = ['lb-v2.1', 'lb-v2.2']
type Expected = Readonly<Record<'ether' | 'fromEther' | 'dollar', readonly string[]>>
/** Sources that trade USDC against WETH or ETH in the world; from ETH alone; and against USDT. */
const expected: Readonly<Record<number, Expected>> = {
  8453: {
    ether: [...everywhere, 'aerodrome-v2', 'aerodrome-slipstream'],
    fromEther: ['balancer-v3-weighted'],
    dollar: ['uniswap-v3', 'curve-stable-ng', 'curve-plain'],
  },
  42161: {
    ether: [...everywhere, 'sushiswap-v3', 'camelot-v2', 'camelot-v3', ...books],
    fromEther: ['balancer-v3-weighted'],
    dollar: ['uniswap-v3', 'curve-stable-ng', 'curve-plain', 'balancer-v2-stable', 'lb-v2.2'],
  },
}
const expectedOf = (chainId: number, [from, to]: readonly [string, string]) => {
  const { ether = [], fromEther = [], dollar = [] } = expected[chainId] ?? {}
  if (to === 'USDT') return dollar
  if (to === 'wstETH') return ['balancer-v3-stable']
  if (from === 'LINK') return []
  return from === 'ETH' ? [...ether, ...fromEther] : ether
}

for (const { chainId } of world) {
  const trader = createWorldTrader(stand, chainId)
  const { client, manifest, owner, signer, token, balanceOf, approve, measure, undone } = trader

  const trades: [tokenIn: string, tokenOut: string, amountIn: bigint][] = [
    ['USDC', 'WETH', 500_000_000n],
    ['ETH', 'USDC', 10n ** 18n],
    ['USDC', 'ETH', 500_000_000n],
    ['LINK', 'UNI', 10n ** 18n],
    ['USDC', 'USDT', 900_000_000n],
    ['ETH', 'wstETH', 10n ** 18n],
  ]
  for (const [from, to, amountIn] of trades)
    s(
      `${chainId}: ${from} to ${to} delivers what each source quotes, to the wei [meta/delivers]`,
      async () => {
        const tokenIn = token(from)
        const tokenOut = token(to)
        const asked = { tokenIn, tokenOut, amountIn: `${amountIn}` }
        const { best, quotes, failures } = await trader.quote(asked)
        assert.ok(quotes.length > 0, JSON.stringify(failures))
        assert.is(best?.provider, quotes[0]?.provider)
        for (const one of quotes) {
          assert.is(one.simulation.status, 'success', `${one.provider}: ${one.simulation.error}`)
          assert.is(one.simulation.actualOutput, one.amountOut, one.provider)
        }
        for (const name of expectedOf(chainId, [from, to]))
          assert.ok(
            quotes.some(({ provider }) => provider === name),
            `${name}: ${JSON.stringify(failures)}`,
          )
        for (const one of quotes) {
          const delivered = await undone(async () => {
            if (one.approveTarget) await approve(tokenIn, one.approveTarget, amountIn)
            return measure(tokenOut, () =>
              send(signer, { to: one.target, data: one.calldata, value: BigInt(one.value) }),
            )
          })
          assert.is(delivered, BigInt(one.amountOut), one.provider)
        }
      },
    )

  const exact: [tokenIn: string, tokenOut: string, targetOut: bigint, maxIn: bigint][] = [
    ['USDC', 'WETH', 10n ** 17n, 10n ** 10n],
    ['ETH', 'USDC', 300_000_000n, 10n ** 19n],
    ['USDC', 'ETH', 10n ** 17n, 10n ** 10n],
  ]
  for (const [from, to, targetOut, maxIn] of exact)
    s(
      `${chainId}: ${from} to exactly so much ${to}, within maxIn [meta/exact-on-chain]`,
      async () => {
        const tokenIn = token(from)
        const tokenOut = token(to)
        const { quotes } = await quote({
          chainId,
          tokenIn,
          tokenOut,
          quoteType: 'exactOutput',
          targetOut: `${targetOut}`,
          maxIn: `${maxIn}`,
          calldataPolicy: 'strict',
          taker: owner,
        })
        assert.ok(quotes.length > 0)
        for (const one of quotes) {
          // Routers without exact outputs are asked for an input whose guarantee reaches the target.
          const isExact =
            /^(uniswap-v[23]|sushiswap|pancakeswap|algebra|camelot-v3|aerodrome-slip|balancer-v2)/.test(
              one.provider,
            )
          if (isExact) assert.is(one.amountOut, `${targetOut}`, one.provider)
          assert.ok(BigInt(one.minAmountOut) >= targetOut, one.provider)
          const paid = await undone(async () => {
            if (one.approveTarget) await approve(tokenIn, one.approveTarget, maxIn)
            const before = await balanceOf(tokenIn)
            const delivered = await measure(tokenOut, async () => {
              const receipt = await send(signer, {
                to: one.target,
                data: one.calldata,
                value: BigInt(one.value),
              })
              if (tokenIn !== zeroAddress) return receipt
              return { ...receipt, gasUsed: 0n }
            })
            assert.ok(delivered >= targetOut)
            return before - (await balanceOf(tokenIn))
          })
          if (tokenIn !== zeroAddress) assert.is(paid, BigInt(one.amountIn), one.provider)
          assert.ok(paid <= maxIn)
        }
      },
    )

  s(
    `${chainId}: proxyTx runs through the owner's proxy, simulated and for real [meta/proxy-runs]`,
    async () => {
      const factory = getAddress(manifest.proxyFactory)
      const abi = userProxyFactoryV6.abi
      const args = [owner] as const
      const proxy = await readContract(client, {
        address: factory,
        abi,
        functionName: 'predict',
        args,
      })
      const tokenIn = token('USDC')
      const body = {
        chainId,
        tokenIn,
        tokenOut: zeroAddress,
        amountIn: '700000000',
        taker: owner,
        dryRun: true,
        proxyAddress: proxy,
      }
      const early = await quote(body)
      assert.is(early.best?.simulation.status, 'success', early.best?.simulation.error)
      await send(signer, {
        to: factory,
        data: encodeFunctionData({ abi, functionName: 'deploy', args }),
      })
      const { best, proxyTx } = await quote(body)
      assert.is(best?.simulation.status, 'success', best?.simulation.error)
      assert.ok(proxyTx)
      if (!proxyTx) return
      assert.is(proxyTx.to, proxy)
      await approve(tokenIn, proxy, 700_000_000n)
      const delivered = await measure(zeroAddress, () =>
        send(signer, { to: proxyTx.to, data: proxyTx.data, value: BigInt(proxyTx.value) }),
      )
      assert.ok(delivered >= BigInt(proxyTx.minOut))
      assert.is(`${delivered}`, best?.amountOut)
    },
  )
}

s.run()
