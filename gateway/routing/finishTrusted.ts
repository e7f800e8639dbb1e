import { asksForDryRun, finishQuote, type Planned, type Quote } from './finishQuote.ts'
import type { QuoteDeps } from './quoteRequest.ts'
import { listStrange } from './strangePools.ts'
import type { Choice } from './trust/trust.ts'

export type Finished =
  | { readonly status: 'ok'; readonly quote: Quote }
  | { readonly status: 'no_route' }
  /** By its pools, it says nothing of anybody else's question. */
  | { readonly status: 'unavailable'; readonly reason: string; readonly byItsPools?: true }

/** Plans the same request on fewer pools; undefined where they have no route. */
export type Replan = (choice: Choice) => Promise<Planned | undefined>

type Parameters = {
  readonly planned: Planned
  readonly replan: Replan
  /** Whether a plan without strangers is worth as much. */
  readonly isAsGood: (known: Planned, other: Planned) => boolean
}

export const mostSearches = 3

/**
 * A quote that holds. A route in which somebody unknown has a say stands back behind an equal one without,
 * and is quoted only after a dry run. Where a dry run falls, the pools that may be to blame are left out of
 * this request and the search runs again; the pools that are known are asked last, and at once where a dry
 * run is not through in time.
 */
export async function finishTrusted(
  deps: QuoteDeps,
  { planned, replan, isAsGood }: Parameters,
): Promise<Finished> {
  const { parameters } = planned
  const patience = createPatience(deps)
  const avoided = new Set<string>()
  let known: Promise<Planned | undefined> | undefined
  let first: Quote | undefined
  let isLate = false
  let attempt: Planned | undefined = planned
  for (let searches = 0; attempt && searches <= mostSearches; searches += 1) {
    let other: Planned | undefined
    if (isDoubtful(attempt)) {
      known ??= replan({ kind: 'known' })
      other = await known
      if (other && isAsGood(other, attempt)) attempt = other
    }
    const isAlone = other === undefined
    const quoted = await finishInTime(deps, attempt, { isAlone, patience })
    isLate = quoted === 'late'
    if (!quoted || quoted === 'late') break
    first ??= quoted
    if (isDoubtful(attempt) ? quoted.readiness === 'verified' : !fell(quoted))
      return { status: 'ok', quote: quoted }
    // Where nobody can make dry runs, nobody can for the next route either.
    if (quoted.dryRun?.status === 'unavailable') break
    const strange = listStrange(attempt.state, attempt.route)
    if (strange.length === 0) break
    for (const id of strange) avoided.add(id)
    attempt =
      searches < mostSearches ? await replan({ kind: 'without', ids: [...avoided] }) : undefined
  }
  const last = await known
  const honest = last && (await finishQuote(deps, last))
  if (honest && !fell(honest)) return { status: 'ok', quote: honest }
  if (first && (known === undefined || asksForDryRun(parameters)))
    return { status: 'ok', quote: first }
  if (isLate || first?.dryRun?.status === 'unavailable')
    return { status: 'unavailable', reason: 'the only route needs a dry run', byItsPools: true }
  return { status: 'no_route' }
}

const usualPatienceMs = 250
/** Without another route it is worth waiting so many times as long. */
const alonePart = 12

/** What a request may spend on dry runs of strangers' pools in all, and has not spent yet. */
export type Patience = <result>(
  isAlone: boolean,
  work: (waitMs: number) => Promise<result>,
) => Promise<result>

export function createPatience({ now, patienceMs = usualPatienceMs }: QuoteDeps): Patience {
  let spentMs = 0
  return async (isAlone, work) => {
    const startedAtMs = now()
    const result = await work((isAlone ? alonePart * patienceMs : patienceMs) - spentMs)
    spentMs += now() - startedAtMs
    return result
  }
}

/** `late` where a dry run of strangers' pools takes longer. */
function finishInTime(
  deps: QuoteDeps,
  planned: Planned,
  { isAlone, patience }: { readonly isAlone: boolean; readonly patience: Patience },
): Promise<Quote | undefined | 'late'> {
  const { chain, state, route, parameters } = planned
  const doubtful = chain.trust.listDoubtful(state, route)
  if (doubtful.length === 0) return finishQuote(deps, planned)
  // The verdict is for others, too.
  const unsigned = { ...planned, parameters: { ...parameters, signal: undefined } }
  return patience(isAlone, (waitMs) =>
    chain.trust.trials.run(doubtful, {
      isAlone,
      waitMs,
      asker: parameters.asker,
      work: () => finishQuote(deps, unsigned),
      holds: (quote) => quote?.readiness === 'verified',
    }),
  )
}

/** Whether somebody unknown has a say in what a plan promises. */
export const isDoubtful = ({ chain, state, route }: Planned) =>
  chain.trust.listDoubtful(state, route).length > 0

/** Whether a dry run did not deliver. */
export const fell = ({ dryRun }: Quote) =>
  dryRun?.status === 'failed' || dryRun?.status === 'mismatched'
