import { type Route, withoutGap } from './engine/route.ts'
import type { HotQuestion } from './hotQuestions.ts'
import { afterTax } from './protocols/maths/taxedPool.ts'
import { type QuoteDeps, type QuoteParameters, taxOf, toEngineToken } from './quoteRequest.ts'
import { nameOptions } from './routeOptions.ts'
import type { RoutingChain } from './routingChain.ts'
import { type Askers, findShared } from './searchQueue.ts'
import { searchRoute } from './searchRoute.ts'
import { settleFound } from './settleFound.ts'
import { usesQuoted } from './settleRoute.ts'
import type { SyncedState } from './sync/syncedState.ts'
import type { Choice } from './trust/trust.ts'

type Posed = {
  readonly chain: RoutingChain
  readonly state: SyncedState
  readonly parameters: Asked
  readonly choice?: Choice | undefined
}
type Asked = HotQuestion & Pick<QuoteParameters, 'options' | 'asker'>

/** The engine's question for what arrives at the executor, and its name among those of one state. */
function pose(
  deps: Pick<QuoteDeps, 'now'>,
  { chain, state, parameters, choice = { kind: 'all' } }: Posed,
) {
  const tokenIn = toEngineToken(chain, parameters.tokenIn)
  const tokenOut = toEngineToken(chain, parameters.tokenOut)
  const mode = parameters.mode ?? 'deep'
  const amountIn = afterTax(parameters.amountIn, taxOf(chain, parameters.tokenIn))
  const { asker } = parameters
  const options = parameters.options && { ...parameters.options, pools: state.pools }
  const market = chain.trust.choose(state, choice)
  const question = { chain, market, tokenIn, tokenOut, amountIn, mode, options, asker }
  const asked = [tokenIn, tokenOut, amountIn, mode, nameOptions(options)]
  // The best for gas of one price, and how far it may be from that, are not those of another.
  const gasPriceWei = options?.gasPriceWei ?? chain.gasPriceWei()
  const key = [...asked, gasPriceWei, chain.trust.nameChoice(choice)].join(':')
  // What a caller narrows down is seldom asked again.
  const isCommon = choice.kind === 'all' && !options
  const search = async (others: Askers, worked?: (ms: number) => void) => {
    // In a later market pools that came to rest are such as changed.
    const kept = isCommon ? asked.join(':') : undefined
    const found = await searchRoute(deps, { ...question, others, key: kept, worked })
    // The best through pools left out is not known.
    return found && choice.kind !== 'all' ? withoutGap(found) : found
  }
  return { question, key, isCommon, search }
}

/**
 * Searches a question before anybody asks it of this state; nothing where it was asked already. Whoever asks for
 * what pools with unknown code look best for needs the best route without them, too.
 */
export async function planAhead(
  deps: Pick<QuoteDeps, 'now'>,
  { question, ...posed }: Omit<Posed, 'parameters'> & { readonly question: HotQuestion },
): Promise<void> {
  const { chain, state, choice } = posed
  const { key, search } = pose(deps, { ...posed, parameters: question })
  const route = await chain.routes.ahead(state, key, search)
  if (choice || !route || chain.trust.listDoubtful(state, route).length === 0) return
  await planAhead(deps, { ...posed, question, choice: { kind: 'known' } })
}

/** The route for what arrives at the executor, from the cache of this state where it was asked before. */
export async function planRoute(
  deps: Pick<QuoteDeps, 'now'>,
  posed: Posed & { readonly parameters: QuoteParameters },
): Promise<Route | undefined> {
  const { chain, state, parameters } = posed
  const { asker } = parameters
  const { question, key, isCommon, search } = pose(deps, posed)
  chain.threads?.listen()
  if (isCommon) chain.hot?.note(parameters, asker?.site ?? asker?.caller ?? '')
  const find = () => chain.routes.find(state, key, { search, asker })
  const found = await findShared(find, asker)
  const settle = async () => {
    const settled = found && (await settleFound(deps, { ...question, state, route: found }))
    return settled?.route
  }
  const settledKey = `${key}:${state.head.hash}`
  // A quoter's answer is of one block, whether or not an event told of a change.
  const route =
    found && usesQuoted(state, found)
      ? await findShared(
          () => chain.routes.find(state, settledKey, { search: settle, asker }),
          asker,
        )
      : found
  if (!route) return undefined
  return route.amountIn < question.amountIn && !parameters.allowPartial ? undefined : route
}
