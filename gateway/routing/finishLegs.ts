import { lessBps } from '../amounts/amounts.ts'
import { asksForDryRun, finishQuote, type Planned, type Quote } from './finishQuote.ts'
import { createPatience, fell, isDoubtful, mostSearches, type Patience } from './finishTrusted.ts'
import type { QuoteDeps } from './quoteRequest.ts'
import { listStrange } from './strangePools.ts'
import type { Choice } from './trust/trust.ts'
import { toleranceBps } from './verifyExecution.ts'

/** One per leg; undefined where a leg has no route. */
type Plans = readonly (Planned | undefined)[]
type Quotes = readonly (Quote | undefined)[]

/**
 * Quotes of legs that hold, as `finishTrusted` has them for one: the legs share their pools, so that all are
 * planned again where one of them fell.
 */
export async function finishLegs(
  deps: QuoteDeps,
  { plan }: { readonly plan: (choice: Choice) => Promise<Plans> },
): Promise<Quotes> {
  const patience = createPatience(deps)
  const avoided = new Set<string>()
  const wanted = await plan({ kind: 'all' })
  let plans = wanted
  let known: Plans | undefined
  let first: Quotes | undefined
  for (let searches = 0; searches <= mostSearches; searches += 1) {
    if (plans.some((each) => each && isDoubtful(each))) {
      known ??= await plan({ kind: 'known' })
      if (isAsGood(known, plans)) plans = known
    }
    const isAlone = known === undefined || !isWhole(known, plans)
    const quotes = await finishInTime(deps, plans, { isAlone, patience })
    if (quotes === 'late') break
    first ??= quotes
    const fallen = plans.filter((each, leg) => each && !holds(each, quotes[leg]))
    const hasLost = plans.some((each, leg) => !each && wanted[leg])
    if (fallen.length === 0 && !hasLost) return quotes
    const strange = fallen.flatMap((each) => (each ? listStrange(each.state, each.route) : []))
    const isMute = quotes.some((quote) => quote?.dryRun?.status === 'unavailable')
    if (hasLost || strange.length === 0 || isMute || searches === mostSearches) break
    for (const id of strange) avoided.add(id)
    plans = await plan({ kind: 'without', ids: [...avoided] })
  }
  return settle(deps, { wanted, known, first: first ?? [] })
}

/** Where nothing else held: the pools that are known; else what fell, where the caller asked to be told. */
async function settle(
  deps: QuoteDeps,
  {
    wanted,
    known,
    first,
  }: { readonly wanted: Plans; readonly known: Plans | undefined; readonly first: Quotes },
): Promise<Quotes> {
  if (!known) return first
  const last = await finishAll(deps, known)
  return wanted.map((each, leg) => {
    const [quote, plan] = [last[leg], known[leg]]
    if (plan && holds(plan, quote)) return quote
    return each && asksForDryRun(each.parameters) ? first[leg] : undefined
  })
}

const finishAll = (deps: QuoteDeps, plans: Plans): Promise<Quotes> =>
  Promise.all(plans.map((each) => each && finishQuote(deps, each)))

/** `late` where the dry runs of strangers' pools take longer: the legs may go through the same ones. */
function finishInTime(
  deps: QuoteDeps,
  plans: Plans,
  { isAlone, patience }: { readonly isAlone: boolean; readonly patience: Patience },
): Promise<Quotes | 'late'> {
  const [first] = plans.flatMap((each) => each ?? [])
  const doubtful = plans.flatMap((each) =>
    each ? each.chain.trust.listDoubtful(each.state, each.route) : [],
  )
  if (!first || doubtful.length === 0) return finishAll(deps, plans)
  const unsigned = plans.map(
    (each) => each && { ...each, parameters: { ...each.parameters, signal: undefined } },
  )
  return patience(isAlone, (waitMs) =>
    first.chain.trust.trials.run([...new Set(doubtful)], {
      isAlone,
      waitMs,
      asker: first.parameters.asker,
      work: () => finishAll(deps, unsigned),
      holds: (quotes) => plans.every((each, leg) => !each || holds(each, quotes[leg])),
    }),
  )
}

function holds(plan: Planned, quote: Quote | undefined): boolean {
  if (!quote) return !isDoubtful(plan)
  return isDoubtful(plan) ? quote.readiness === 'verified' : !fell(quote)
}

function isAsGood(known: Plans, plans: Plans): boolean {
  const sum = (all: Plans) => all.reduce((total, each) => total + (each?.route.amountOut ?? 0n), 0n)
  return isWhole(known, plans) && sum(known) >= lessBps(sum(plans), toleranceBps)
}

const isWhole = (known: Plans, plans: Plans) =>
  plans.every((each, leg) => !each || known[leg] !== undefined)
