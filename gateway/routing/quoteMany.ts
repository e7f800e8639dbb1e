import { setImmediate as giveTurn } from 'node:timers/promises'
import { type Prepared, prepareState } from './prepareState.ts'
import { type QuoteOutcome, quoteOn } from './quote.ts'
import { type QuoteDeps, type QuoteParameters, toEngineToken } from './quoteRequest.ts'
import type { RoutingChain } from './routingChain.ts'

/** Of one batch at once: its searches wait behind each other, not in everybody's places. */
const mostAtOnce = 4

/** Several quotes, those of a chain all on one state of it; outcomes in the order they were asked. */
export async function quoteMany(
  deps: QuoteDeps,
  asked: readonly QuoteParameters[],
): Promise<readonly QuoteOutcome[]> {
  const prepare = await prepareChains(deps, asked)
  const outcomes: QuoteOutcome[] = []
  const waiting = [...asked.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, parameters] = next
      outcomes[index] = await quoteOne(deps, parameters, prepare)
      // Answers that are known already must not keep other callers waiting.
      await giveTurn()
    }
  }
  await Promise.all(Array.from({ length: mostAtOnce }, work))
  return outcomes
}

type PreparedFor = (asked: QuoteParameters) => Prepared

const tokensOf = ({ tokenIn, tokenOut }: QuoteParameters) => [tokenIn, tokenOut]

/** What is missing of a chain's tokens is read for all of them together. */
async function prepareChains(
  deps: QuoteDeps,
  asked: readonly QuoteParameters[],
): Promise<ReadonlyMap<number, PreparedFor>> {
  const groups = [...Map.groupBy(asked, ({ chainId }) => chainId)]
  const prepared = groups.map(async ([chainId, own]): Promise<[number, PreparedFor][]> => {
    const chain = deps.chains.get(chainId)
    return chain ? [[chainId, await prepareGroup(chain, own)]] : []
  })
  return new Map((await Promise.all(prepared)).flat())
}

/** Where unknown tokens could not be looked for, only the quotes of such tokens go without. */
async function prepareGroup(
  chain: RoutingChain,
  own: readonly QuoteParameters[],
): Promise<PreparedFor> {
  const all = await prepareState(chain, own.flatMap(tokensOf))
  if (all.status === 'ok') return () => all
  const known = chain.sync.current()?.market.tokenIndex
  const rest = own.filter((asked) =>
    tokensOf(asked).every((token) => known?.has(toEngineToken(chain, token))),
  )
  if (rest.length === 0) return () => all
  const prepared = await prepareState(chain, rest.flatMap(tokensOf))
  return (asked) => (rest.includes(asked) ? prepared : all)
}

async function quoteOne(
  deps: QuoteDeps,
  asked: QuoteParameters,
  prepare: ReadonlyMap<number, PreparedFor>,
): Promise<QuoteOutcome> {
  const chain = deps.chains.get(asked.chainId)
  const prepared = prepare.get(asked.chainId)?.(asked)
  if (!chain || !prepared) return { status: 'unavailable', reason: 'the chain is not configured' }
  return prepared.status === 'ok' ? quoteOn(deps, { chain, prepared, asked }) : prepared
}
