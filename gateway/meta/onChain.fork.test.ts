import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  isAddressEqual,
  zeroAddress,
} from 'viem'
import { getBalance, readContract } from 'viem/actions'
import { userProxyFactoryV6 } from '../../contracts/artifacts.ts'
import { revertChain } from '../../fixtures/revertChain.ts'
import { createRpc } from '../../fixtures/rpc.ts'
import { send } from '../../fixtures/send.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { getDexes } from '../chain/dexes.ts'
import { createService } from '../http/service.ts'
import { createMeta } from './createMeta.ts'
import type { OnChainDex } from './onChainSources.ts'

/** Meta over HTTP on the offline world: what it quotes is what the chain delivers. */
const s = suite('meta on chain')
const chainIds = [8453, 42161]
const world = await Promise.all(chainIds.map((chainId) => startWorldChain({ chainId })))
const simulator = await createSimulator({
  chains: world.map(({ chainId, rpcUrl }) => ({ chainId, upstreamUrl: rpcUrl })),
})
const clients = world.map(({ chainId, rpcUrl }) => {
  const chain = getChain(chainId)
  if (!chain) throw new Error(`no chain ${chainId}`)
  return createChainClient({ chain, rpcUrls: [rpcUrl], timeoutMs: 30_000 })
})
/** Every exchange of the world, also those that the routing service does not follow. */
const dexesOf = (chainId: number): readonly OnChainDex[] => {
  const known = getDexes(chainId)
  const names = new Set(known.map(({ name }) => name))
  const { manifest } = world.find((chain) => chain.chainId === chainId) ?? { manifest: undefined }
  const others = manifest?.dexes.filter(({ name }) => !names.has(name)) ?? []
  return [...known, ...others.map((dex) => ({ ...dex, feesPips: [] }))]
}
/** The pools that the routing service would know. */
const poolsBetween = (
  chainId: number,
  p: { readonly dex: string; readonly tokens: readonly Address[] },
): readonly Address[] =>
  (world.find((chain) => chain.chainId === chainId)?.manifest.pools ?? [])
    .filter(
      ({ dex, tokens }) =>
        dex === p.dex &&
        p.tokens.every((token) => tokens.some((held) => isAddressEqual(held, token))),
    )
    .map(({ address }) => address)
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const meta = createMeta({
  quote: async () => ({ status: 'no_route' }),
  clients,
  dexesOf,
  executorOf: () => undefined,
  dryRunOf: () => simulator.simulateCandidates,
  taxOf: () => undefined,
  poolsBetween,
  // A loaded machine takes its time; nobody is to be left out for that.
  config: { sourceTimeoutMs: 30_000, patienceMs: 30_000, deadlineMs: 60_000 },
  now: Date.now,
  log,
})
const server = await createService({
  name: 'meta',
  endpoints: meta.endpoints,
  requestIdField: 'requestId',
  log,
  checkOutput: true,
}).listen()
s.after(async () => {
  await server.close()
  await meta.close()
  for (const client of clients) client.close()
  await simulator.close()
  await Promise.all(world.map((chain) => chain.close()))
})

type Reply = {
  best: {
    provider: string
    amountIn: string
    amountOut: string
    minAmountOut: string
    target: Address
    approveTarget: Address | null
    calldata: Hex
    value: string
    simulation: { status: string; actualOutput?: string; error?: string }
  } | null
  quotes: NonNullable<Reply['best']>[]
  failures: { provider: string; reason: string }[]
  proxyTx?: { to: Address; data: Hex; value: string; minOut: string }
}
async function quote(body: Record<string, unknown>): Promise<Reply> {
  const res = await fetch(`${server.url}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await res.json()) as Reply
  assert.is(res.status, 200, JSON.stringify(answer))
  return answer
}

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

for (const [at, chain] of world.entries()) {
  const { chainId, manifest, rpcUrl } = chain
  const client = clients[at]?.client
  const account = manifest.accounts[3]
  if (!client || !account) throw new Error('the world has no account')
  const owner = getAddress(account.address)
  const signer = { rpcUrl, privateKey: account.privateKey }
  const rpc = createRpc(rpcUrl)
  const token = (name: string) => {
    if (name === 'ETH') return zeroAddress
    const found = manifest.tokens[name]
    if (!found) throw new Error(`no token ${name}`)
    return getAddress(found.address)
  }
  const balanceOf = (address: Address) =>
    address === zeroAddress
      ? getBalance(client, { address: owner })
      : readContract(client, { address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  const approve = (address: Address, spender: Address, amount: bigint) =>
    send(signer, {
      to: address,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
    })
  /** What the owner's balance of `tokenOut` grew by, gas apart, in a copy of the chain's state. */
  async function measure(
    tokenOut: Address,
    transact: () => Promise<{ gasUsed: bigint; effectiveGasPrice: bigint; status: string }>,
  ) {
    const before = await balanceOf(tokenOut)
    const receipt = await transact()
    assert.is(receipt.status, 'success')
    const gas = tokenOut === zeroAddress ? receipt.gasUsed * receipt.effectiveGasPrice : 0n
    return (await balanceOf(tokenOut)) - before + gas
  }
  /** Runs and then undoes, so that every quote meets the state that it was made on. */
  async function undone<T>(run: () => Promise<T>): Promise<T> {
    const id = await rpc('evm_snapshot')
    try {
      return await run()
    } finally {
      await revertChain(rpc, id)
    }
  }

  const trades: [tokenIn: string, tokenOut: string, amountIn: bigint][] = [
    ['USDC', 'WETH', 500_000_000n],
    ['ETH', 'USDC', 10n ** 18n],
    ['USDC', 'ETH', 500_000_000n],
    ['LINK', 'UNI', 10n ** 18n],
    ['USDC', 'USDT', 900_000_000n],
    ['ETH', 'wstETH', 10n ** 18n],
  ]
  for (const [from, to, amountIn] of trades)
    s(`${chainId}: ${from} to ${to} delivers what each source quotes, to the wei`, async () => {
      const tokenIn = token(from)
      const tokenOut = token(to)
      const { best, quotes, failures } = await quote({
        chainId,
        tokenIn,
        tokenOut,
        amountIn: `${amountIn}`,
        taker: owner,
        dryRun: true,
      })
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
    })

  const exact: [tokenIn: string, tokenOut: string, targetOut: bigint, maxIn: bigint][] = [
    ['USDC', 'WETH', 10n ** 17n, 10n ** 10n],
    ['ETH', 'USDC', 300_000_000n, 10n ** 19n],
    ['USDC', 'ETH', 10n ** 17n, 10n ** 10n],
  ]
  for (const [from, to, targetOut, maxIn] of exact)
    s(`${chainId}: ${from} to exactly so much ${to}, within maxIn`, async () => {
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
    })

  s(`${chainId}: proxyTx runs through the owner's proxy, simulated and for real`, async () => {
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
  })
}

s.run()
