import { type Address, encodeFunctionData, erc20Abi, getAddress, maxUint256 } from 'viem'
import { getBalance, readContract } from 'viem/actions'
import { send } from '../../fixtures/chains/send.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { getChain, getDexes } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { nativeAddresses } from '../chain/native.ts'
import type { Quote } from './finishQuote.ts'
import { createRouting } from './service/routing.ts'
import { isUneven } from './testing/unevenTokens.ts'

const native = nativeAddresses[0] ?? '0x'
const s = suite('quote')

/** Deterministic, so that a failure can be run again. */
function createRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

async function openChain(chainId: number, dexNames?: readonly string[]) {
  const world = await startWorldChain({ chainId })
  const chain = getChain(chainId)
  if (!chain) throw new Error(`chain ${chainId} is built in`)
  const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl] })
  const routing = await createRouting({
    chains: [
      {
        chainClient,
        executor: world.manifest.executor,
        maxAgeMs: 0,
        pollMs: 3_600_000,
        dexes: getDexes(chainId).filter(({ name }) => dexNames?.includes(name) ?? true),
      },
    ],
    simulator: undefined,
    serviceName: 'test',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
  })
  const [account] = world.manifest.accounts
  if (!account) throw new Error('the world funds accounts')
  const sender = { rpcUrl: world.rpcUrl, privateKey: account.privateKey }
  s.after(async () => {
    await routing.close()
    chainClient.close()
    await world.close()
  })

  const balanceOf = (token: Address, owner: Address) =>
    token === native
      ? getBalance(chainClient.client, { address: owner })
      : readContract(chainClient.client, {
          address: token,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [owner],
        })

  const approve = (token: Address) =>
    send(sender, {
      to: token,
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'approve',
        args: [world.manifest.executor, maxUint256],
      }),
    })

  /** Sends the payload; what the recipient gained, and the receipt. */
  async function execute(quote: Quote, recipient: Address) {
    const { execution } = quote
    if (!execution) throw new Error('no execution')
    const before = await balanceOf(quote.tokenOut, recipient)
    const receipt = await send(sender, {
      to: execution.target,
      data: execution.data,
      value: execution.value,
      gas: 3_000_000n,
    })
    const after = await balanceOf(quote.tokenOut, recipient)
    return { receipt, gained: after - before }
  }

  return { chainId, world, routing, account, sender, balanceOf, approve, execute }
}

const stands = await Promise.all([8453, 42161].map((chainId) => openChain(chainId)))
/** Gets the output of native quotes: it pays no gas. */
const recipient = getAddress('0x00000000000000000000000000000000000a11ce')

for (const { chainId, world, routing, account, approve, execute } of stands) {
  const standard = Object.entries(world.manifest.tokens).filter(
    ([symbol]) => symbol !== 'TAX' && !isUneven(symbol),
  )
  const quoteFor = async (parameters: {
    tokenIn: Address
    tokenOut: Address
    amountIn: bigint
    taker?: Address
  }) => {
    const outcome = await routing.quote({ chainId, slippageBps: 50, ...parameters })
    return outcome.status === 'ok' ? outcome.quote : undefined
  }

  s(
    `${chainId}: delivers exactly the output, for random pairs and amounts, native too [routing/quote-delivers]`,
    async () => {
      const random = createRandom(chainId)
      for (const [, { address }] of standard) await approve(address)
      let executed = 0
      for (let tries = 0; tries < 60 && executed < 40; tries += 1) {
        const pick = () => standard[random(standard.length)]
        const [a, b] = [pick(), pick()]
        if (!a || !b || a === b) continue
        const [symbolIn, tokenIn] = a
        const funded = BigInt(account.funded[symbolIn] ?? 0)
        const amountIn = (funded * BigInt(1 + random(1000))) / 200_000n + BigInt(random(1000))
        const isNativeIn = symbolIn === 'WETH' && random(2) === 0
        const isNativeOut = b[0] === 'WETH' && random(2) === 0
        const quote = await quoteFor({
          tokenIn: isNativeIn ? native : tokenIn.address,
          tokenOut: isNativeOut ? native : b[1].address,
          amountIn,
          taker: recipient,
        })
        if (!quote) continue
        const { receipt, gained } = await execute(quote, recipient)
        const label = `${quote.routePath} ${amountIn}`
        assert.is(receipt.status, 'success', label)
        assert.is(gained, quote.amountOut, label)
        assert.is(quote.minAmountOut, (quote.amountOut * 9_950n) / 10_000n)
        executed += 1
      }
      assert.ok(executed >= 30, `${executed} executed`)
    },
  )
}
const solidly = await openChain(8453, ['aerodrome-v2', 'aerodrome-slipstream'])

s(
  'delivers exactly the output through Aerodrome pools of every kind, and estimates their gas',
  async () => {
    const { chainId, routing, account, approve, execute } = solidly
    const [status] = routing.status()
    const pools = [...(status?.state?.pools.values() ?? [])]
    assert.ok(pools.some((pool) => pool.protocol === 'aerodrome_v2' && pool.stable))
    for (const pool of pools) {
      const [token0, token1] = pool.tokens.map((token) => getAddress(token))
      if (!token0 || !token1) throw new Error(pool.id)
      for (const [tokenIn, tokenOut] of [
        [token0, token1],
        [token1, token0],
      ] as const) {
        await approve(tokenIn)
        const amountIn = (await solidly.balanceOf(tokenIn, account.address)) / 5_000n
        const asked = { chainId, tokenIn, tokenOut, amountIn, slippageBps: 50 }
        const outcome = await routing.quote({ ...asked, taker: account.address })
        if (outcome.status !== 'ok') throw new Error(`${pool.address}: ${outcome.status}`)
        const { receipt, gained } = await execute(outcome.quote, account.address)
        const { routePath, amountOut, gasEstimate } = outcome.quote
        assert.is(receipt.status, 'success', routePath)
        assert.is(gained, amountOut, routePath)
        // Without a simulator the dearer transfers of USDC are not known.
        const off = Math.abs(Number(gasEstimate) / Number(receipt.gasUsed) - 1)
        assert.ok(off < (routePath.includes('USDC') ? 0.2 : 0.1), `${off} ${routePath}`)
      }
    }
  },
)

s.run()
