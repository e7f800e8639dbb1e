import Table from 'cli-table3'
import { type Address, getAddress } from 'viem'
import { quoteExactOutput } from '../../routing/quoteExactOutput.ts'
import { quoteLpDisposal } from '../../routing/quoteLpDisposal.ts'
import type { QuoteDeps } from '../../routing/quoteRequest.ts'
import { searchRoute } from '../../routing/searchRoute.ts'
import { generateTrades } from '../routing/generateMarket.ts'
import { chainId, createGeneratedChain } from './generatedChain.ts'
import { marketSize } from './marketSize.ts'

const positions = 60
const targets = 150
/** Of the input: where the search for the least one stops. */
const nearPart = 100_000n

type Generated = ReturnType<typeof createGeneratedChain>
const toDeps = ({ chain }: Generated): QuoteDeps => ({
  chains: new Map([[chainId, chain]]),
  simulator: undefined,
  maxLagMs: 30_000,
  now: () => performance.now(),
})
const common = { chainId, slippageBps: 50, taker: getAddress(`0x${'ab'.repeat(20)}`) }

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN

/** Positions of eight tokens, 100 to 1,000,000 USD each, into the dollar coin. */
async function measureDisposals(generated: Generated): Promise<number[]> {
  const { market } = generated
  const target = market.addresses[1] as Address
  const times: number[] = []
  for (let count = 0; count < positions; count += 1) {
    const { trades } = generateTrades(market, 40)
    const tokens = [...new Map(trades.map((trade) => [trade.in, trade])).values()]
    const legs = tokens
      .filter((trade) => trade.in !== target)
      .slice(0, 8)
      .map((trade) => ({ token: getAddress(trade.in), amount: BigInt(trade.amount) }))
    const mode = 'deep' as const
    const parameters = { ...common, targetToken: target, legs, haircutBps: 50, mode }
    times.push(
      await time(() => quoteLpDisposal(toDeps(generated), { ...parameters, allowPartial: true })),
    )
  }
  return times
}

/** Half of the inputs that trades would take, asked for by their outputs. */
async function measureExactOutputs(generated: Generated) {
  const deps = toDeps(generated)
  const { chain, market } = generated
  const state = chain.sync.current()
  if (!state) throw new Error('a generated chain has a state')
  const times: number[] = []
  const distances: number[] = []
  for (const trade of generateTrades(market, targets).trades) {
    const pair = { tokenIn: trade.in, tokenOut: trade.out }
    const search = (amountIn: bigint) =>
      searchRoute(deps, { chain, market: state.market, ...pair, amountIn, mode: 'deep' })
    const maxInput = BigInt(trade.amount) * 2n
    const targetOutput = (await search(BigInt(trade.amount)))?.amountOut
    if (!targetOutput) continue
    let consumed: bigint | undefined
    const elapsed = await time(async () => {
      const outcome = await quoteExactOutput(deps, {
        ...common,
        targetOutput,
        maxInput,
        executableOnly: true,
        tokenIn: getAddress(trade.in),
        tokenOut: getAddress(trade.out),
      })
      consumed = outcome.status === 'ok' ? outcome.quote.inputConsumed : undefined
    })
    if (consumed === undefined) continue
    times.push(elapsed)
    let [low, high] = [0n, consumed]
    while ((high - low) * nearPart > high) {
      const middle = (low + high) / 2n
      if (((await search(middle))?.amountOut ?? 0n) >= targetOutput) high = middle
      else low = middle
    }
    distances.push(Number(((consumed - high) * 1_000_000n) / high) / 100)
  }
  return { times, distances }
}

/** LP disposal and exact output on the generated market, in process. */
export async function printUseCases(): Promise<void> {
  const generated = createGeneratedChain(marketSize)
  await measureExactOutputs(createGeneratedChain({ ...marketSize, pools: 200, tokens: 30 }))
  const disposals = await measureDisposals(generated)
  const { times, distances } = await measureExactOutputs(generated)
  const table = new Table({
    head: ['use case', 'count', 'p50', 'p95', 'max'],
    style: { head: [], border: [] },
  })
  const row = (name: string, values: readonly number[], unit: string) =>
    table.push([
      name,
      values.length,
      ...[0.5, 0.95, 0.9999].map((part) => `${quantile(values, part).toFixed(2)} ${unit}`),
    ])
  row('LP disposal of 8 legs', disposals, 'ms')
  row('exact output', times, 'ms')
  row('its input above the least', distances, 'bps')
  process.stdout.write(`${table.toString()}\n`)
}
