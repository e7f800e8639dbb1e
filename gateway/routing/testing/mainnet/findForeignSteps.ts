import { madeFamilyOf } from '../../../../fixtures/nodes/mainnet/families/families.ts'
import type { Quote } from '../../finishQuote.ts'
import { toEnginePool } from '../../protocols/families.ts'
import type { PoolRecord } from '../../protocols/poolRecord.ts'
import type { QuoteStep } from '../../routeCache.ts'
import { compareRecords } from '../compareRecords.ts'
import type { Past, StateOf } from './createPast.ts'

type Known = ReadonlyMap<string, PoolRecord>

/**
 * Steps of a quote that its block does not give; none where there ever was a block of that number in which
 * each of its pools gave just that. Of several blocks of the number the one that most steps are of is meant.
 */
export function findForeignSteps(
  { steps, lastSyncBlock }: Pick<Quote, 'steps' | 'lastSyncBlock'>,
  { past, known }: { readonly past: Past; readonly known: Known },
): readonly string[] {
  const found = past
    .statesAt(Number(lastSyncBlock))
    .map((stateOf) => steps.flatMap((step) => compare(step, { stateOf, known, past }) ?? []))
  const [fewest] = found.sort((one, other) => one.length - other.length)
  return fewest ?? ['there is no such block']
}

function compare(
  { dex, pool, poolId, tokenIn, tokenOut, amountIn, amountOut }: QuoteStep,
  {
    stateOf,
    known,
    past,
  }: { readonly stateOf: StateOf; readonly known: Known; readonly past: Past },
): string | undefined {
  const id = (poolId ?? pool).toLowerCase()
  const [state, record] = [stateOf(id), known.get(id)]
  if (!state || !record) return `${dex} ${id} is not there`
  const made = past.poolOf(id)
  if (!made) return `${dex} ${id} was never made`
  const { fieldsOf, quote } = madeFamilyOf(made.dex)
  const real = asOf(record, fieldsOf?.(state) ?? state)
  const place = (token: string) => real.tokens.indexOf(token.toLowerCase())
  const given = quote
    ? quote({ pool: made, state }, { i: place(tokenIn), j: place(tokenOut), amountIn })
    : toEnginePool(real).swap(place(tokenIn), place(tokenOut), amountIn)?.amountOut
  if (given === amountOut) return undefined
  return `${dex} ${id} gives ${given}, not ${amountOut} (now ${compareRecords(record, real)})`
}

/** What never changes of a pool is the gateway's, what does is the chain's. */
const asOf = (record: PoolRecord, state: object) => ({ ...record, ...state }) as PoolRecord
