import { readAtBlock } from '../chain/nodes/blockHashes.ts'
import { type Market, poolOf, updateMarket } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { familyOf, isQuoted, toEnginePool } from './protocols/families.ts'
import type { Trade } from './protocols/family/poolFamily.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { closed, nameQuestion, pinAnswers } from './protocols/quoted/quoted.ts'
import { askQuoters } from './reads/askQuoters.ts'
import { type Replayed, replayShares } from './replayShares.ts'
import type { RoutingChain } from './routingChain.ts'
import { type SyncedState, withTaxes } from './sync/syncedState.ts'

/** Whether a route goes through pools that the chain has to be asked about. */
export function usesQuoted({ pools }: SyncedState, { steps }: Route): boolean {
  return steps.some(({ poolId }) => {
    const record = pools.get(poolId)
    return record !== undefined && isQuoted(record)
  })
}

const localMarkets = new WeakMap<Market, Market>()

/** The market of the pools whose maths is known here. */
export function toLocalMarket(market: Market, { pools }: SyncedState): Market {
  const known = localMarkets.get(market)
  if (known) return known
  const quoted = [...pools.values()].filter(isQuoted).flatMap(({ id }) => {
    const pool = poolOf(market, id)
    return pool ? [closed(pool)] : []
  })
  const local = quoted.length > 0 ? updateMarket(market, quoted) : market
  localMarkets.set(market, local)
  return local
}

type Settling = {
  readonly chain: RoutingChain
  readonly state: SyncedState
  readonly market: Market
  readonly route: Route
  readonly tokenIn: string
  readonly tokenOut: string
}
type Asked = { readonly record: PoolRecord; readonly trade: Trade }

/**
 * A route with what its pools really give: all questions to quoters that can be asked at once go in one
 * request, at the very block of the state. Undefined where a pool refuses; rejects where the block is no more.
 */
export async function settleRoute(settling: Settling): Promise<Replayed | undefined> {
  const { chain, state, market, route, tokenIn, tokenOut } = settling
  const records = listQuotedSteps(settling)
  // A quoter tells of things as they stand: a second swap of one pool, or through one hook, is beyond it.
  const moved = records.flatMap(listMoved)
  if (new Set(moved).size < moved.length) return undefined
  const answers = new Map(records.map(({ id }) => [id, new Map<string, bigint | undefined>()]))
  const taxOf = (token: string) => chain.taxes.get(token) ?? 0
  // Each round answers at least the first question of the rounds before.
  for (let round = 0; round <= route.steps.length; round += 1) {
    const asked: Asked[] = []
    const pinned = records.map((record) => {
      const note = (i: number, j: number, amountIn: bigint) =>
        void asked.push({ record, trade: { i, j, amountIn } })
      const known = answers.get(record.id) ?? new Map()
      return withTaxes(record, pinAnswers(toEnginePool(record), { answers: known, note }), taxOf)
    })
    const replayed = replayShares(updateMarket(market, pinned), {
      route,
      tokenIn,
      tokenOut,
      amountIn: route.amountIn,
    })
    if (asked.length === 0 || !replayed) return asked.length === 0 ? replayed : undefined
    const outputs = await ask(chain, { asked, state })
    for (const [index, { record, trade }] of asked.entries())
      answers.get(record.id)?.set(nameQuestion(trade.i, trade.j, trade.amountIn), outputs[index])
  }
  return undefined
}

/** The quoted pool of each step; one that is swapped twice stands here twice. */
function listQuotedSteps({ state, route }: Settling): readonly PoolRecord[] {
  return route.steps.flatMap(({ poolId }) => {
    const record = state.pools.get(poolId)
    return record && isQuoted(record) ? [record] : []
  })
}

/** What a swap may leave otherwise than it was: the pool, and what its hook keeps. */
function listMoved(record: PoolRecord): readonly string[] {
  return 'key' in record ? [record.id, record.key.hooks.toLowerCase()] : [record.id]
}

async function ask(
  chain: RoutingChain,
  { asked, state }: { readonly asked: readonly Asked[]; readonly state: SyncedState },
): Promise<readonly (bigint | undefined)[]> {
  // Another block may have its number by now: what that gives is no part of this state.
  const client = readAtBlock(chain.chainClient.client, state.head)
  const questions = asked.flatMap(
    ({ record, trade }) => familyOf(record).quoter?.question(record, trade) ?? [],
  )
  const blockNumber = state.head.number
  const [answers, bounds] = await Promise.all([
    askQuoters({ client }, { questions, blockNumber }),
    Promise.all(
      asked.map(({ record }) =>
        familyOf(record).quoter?.readBounds?.({ client }, { record, blockNumber }),
      ),
    ),
  ])
  return asked.map(({ record, trade }, index) => {
    const words = answers[index]
    const bounded = { ...record, ...bounds[index] } as PoolRecord
    return words && familyOf(record).quoter?.readAnswer(words, trade, bounded)
  })
}
