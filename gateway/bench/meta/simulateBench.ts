import { createClient, encodeFunctionData, erc20Abi, getAddress, http } from 'viem'
import { simulateCalls } from 'viem/actions'
import { startWorldChain } from '../../../fixtures/world.ts'
import { createSimulator } from '../../../simulator/simulator.ts'
import { getChain, getDexes } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import type { SourceQuote, SourceRequest } from '../../meta/provider/source.ts'
import { simulateQuotes } from '../../meta/simulateQuotes.ts'
import { createDirectSource } from '../../meta/sources/direct/directSource.ts'
import { routerV2 } from '../../meta/sources/direct/routerV2.ts'

const chainId = 8453
const signal = new AbortController().signal

export type SimulateFigures = {
  readonly ours: readonly number[]
  readonly inTurn: readonly number[]
  readonly atOnce: readonly number[]
}

/** Dry runs of eight quotes: ours in one batch, and one viem simulateCalls per quote as peers do it. */
export async function benchSimulate(rounds: number): Promise<SimulateFigures> {
  const world = await startWorldChain({ chainId })
  const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: world.rpcUrl }] })
  const chain = getChain(chainId)
  if (!chain) throw new Error('no chain')
  const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl], timeoutMs: 5_000 })
  const { client } = chainClient
  const account = getAddress(world.manifest.accounts[0]?.address ?? '')
  const router = getDexes(chainId).find(({ name }) => name === 'uniswap-v2')?.router
  if (!router) throw new Error('no router')
  const reader = { client, multicall3: chain.multicall3 }
  const { wrappedNative } = chain
  const poolsBetween = () => []
  const dex = {
    factory: router,
    router,
    feesPips: [],
    poolsBetween,
    reader,
    wrappedNative,
    hubTokens: [],
  }
  const source = createDirectSource(
    { dexOf: () => dex, now: Date.now, taxOf: () => undefined },
    { name: 'uniswap-v2', family: routerV2 },
  )
  const request: SourceRequest = {
    chainId,
    tokenIn: chain.usdc.address,
    tokenOut: chain.wrappedNative,
    trade: { type: 'exactInput', amountIn: 500_000_000n },
    sender: account,
    recipient: account,
    slippageBps: 50,
    relaxMinReturn: false,
  }
  const outcome = await source.quote(request, { signal, onRetry: () => undefined })
  if (outcome.status !== 'quote') throw new Error('no quote')
  const quotes: SourceQuote[] = Array.from({ length: 8 }, (_, index) => ({
    ...outcome.quote,
    provider: `source-${index}`,
  }))

  const balance = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
  const callsOf = ({ target, calldata, maxAmountIn }: SourceQuote) => {
    const args = [target, maxAmountIn] as const
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
    return [
      { to: request.tokenIn, data: approve },
      { to: request.tokenOut, data: balance },
      { to: target, data: calldata },
      { to: request.tokenOut, data: balance },
    ]
  }
  // As peers have it: viem's own transport, a request for each quote.
  const plain = createClient({ transport: http(world.rpcUrl) })
  const one = async (quote: SourceQuote) => {
    const { results } = await simulateCalls(plain, { account, calls: callsOf(quote) })
    if (results.some(({ status }) => status !== 'success')) throw new Error('a call reverted')
  }
  const timed = async (run: () => Promise<unknown>) => {
    const started = performance.now()
    await run()
    return performance.now() - started
  }
  const dryRunOf = () => simulator.simulateCandidates
  const onFault = ({ error }: { readonly error: unknown }) => {
    throw error
  }
  const batch = async () => {
    const parameters = { quotes, request, proxy: undefined, nowMs: Date.now(), signal }
    const { simulations } = await simulateQuotes({ dryRunOf, onFault }, parameters)
    const bad = simulations.find(({ status }) => status !== 'success')
    if (bad) throw new Error(bad.error)
  }
  const figures = { ours: [] as number[], inTurn: [] as number[], atOnce: [] as number[] }
  const warmUp = 3
  for (let round = -warmUp; round < rounds; round++) {
    const ours = await timed(batch)
    const inTurn = await timed(async () => {
      for (const quote of quotes) await one(quote)
    })
    const atOnce = await timed(() => Promise.all(quotes.map(one)))
    if (round < 0) continue
    figures.ours.push(ours)
    figures.inTurn.push(inTurn)
    figures.atOnce.push(atOnce)
  }
  chainClient.close()
  await simulator.close()
  await world.close()
  return figures
}
