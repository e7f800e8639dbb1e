import { LRUCache } from 'lru-cache'
import { type Address, type Hex, pad } from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import { type Dex, firstBlockOf } from '../../chain/dex.ts'
import { familyOf } from '../protocols/families.ts'
import type { PoolCreation } from '../protocols/family/poolFamily.ts'
import { joinAll } from '../reads/joinAll.ts'
import { pickEnds } from '../reads/pickEnds.ts'
import type { PoolRef } from '../reads/poolRef.ts'
import { type ScannedLog, scanLogs } from '../reads/scanLogs.ts'
import type { TokenBook } from './tokenBook.ts'

/** What a step asks of a node at most, two questions at a time: the next block has the next step. */
const mostQuestions = 8
/** Steps that an asking is worth; asked again, the search goes on where it was. */
const mostSteps = 64
/** Whoever comes after them takes the place of the one with the most steps. */
const mostWaiting = 64
const mostPlaces = 10_000
/** Anybody may have pools of a token made: of more in one step the oldest and the newest count. */
const mostPools = 128

type Waiting = {
  readonly left: number
  /** Since it came, however often it was asked for. */
  readonly taken: number
}

type Step = {
  readonly client: ChainClient['client']
  readonly dexes: readonly Dex[]
  readonly tokens: Pick<TokenBook, 'hasAll'>
  readonly blockNumber: bigint
}
export type SteppedBack = {
  /** Undefined where none waits. */
  readonly token?: Address | undefined
  readonly pools: readonly PoolRef[]
}

/** Looks for pools in the past whose keys nobody guesses. */
export type BackSearch = {
  /** Tokens that callers ask for, of which nobody knew. */
  note(tokens: readonly Address[]): void
  step(deps: Step): Promise<SteppedBack>
}

/**
 * Pools of tokens by creation events of years, the newest first: a chain has millions of them, and nodes
 * index both tokens. In ranges that the node gives, some at a time; what was read is not read again.
 */
export function createBackSearch(): BackSearch {
  /** By token, in the order of their turns. */
  const waiting = new Map<Address, Waiting>()
  /** By exchange and token the newest block that was not read yet. */
  const places = new LRUCache<string, bigint>({ max: mostPlaces })
  /** By exchange how many blocks a question may be about. */
  const spans = new Map<string, bigint>()

  async function look(
    { client, blockNumber, tokens }: Step,
    { dex, creation, token }: { dex: Dex; creation: PoolCreation; token: Address },
  ): Promise<{ readonly pools: readonly PoolRef[]; readonly isWhole: boolean }> {
    const first = firstBlockOf(dex, blockNumber)
    const place = `${dex.name}:${token}`
    let to = places.get(place) ?? blockNumber
    let span = spans.get(dex.name) ?? blockNumber - first + 1n
    let isRefused = false
    const pools: PoolRef[] = []
    for (let asked = 0; asked < mostQuestions && to >= first && span > 0n; asked += 2) {
      const fromBlock = to - span + 1n > first ? to - span + 1n : first
      const range = { fromBlock, toBlock: to }
      const logs = await readBoth({ client }, { dex, creation, token, ...range })
      if (logs) {
        pools.unshift(...logs.flatMap((log) => toRefs(log, { dex, creation, token, tokens })))
        to = fromBlock - 1n
        places.set(place, to)
      } else {
        isRefused = true
        span = (to - fromBlock + 1n) / 2n
      }
    }
    // A node that refuses single blocks is out of order: it is asked anew as if nothing were known of it.
    if (span === 0n) spans.delete(dex.name)
    else spans.set(dex.name, isRefused ? span : 2n * span)
    return { pools, isWhole: to < first }
  }

  /** Asked again, who leaves goes on where it was. */
  function makeRoom(): void {
    const most = Math.max(...[...waiting.values()].map(({ taken }) => taken))
    const [name] = [...waiting].find(([, { taken }]) => taken === most) ?? []
    if (name && most > 0) waiting.delete(name)
  }

  return {
    note(tokens) {
      for (const token of tokens) {
        const name = token.toLowerCase() as Address
        const known = waiting.get(name)
        if (!known && waiting.size >= mostWaiting) makeRoom()
        if (known || waiting.size < mostWaiting)
          waiting.set(name, { left: mostSteps, taken: known?.taken ?? 0 })
      }
    },
    async step(deps) {
      const [next] = waiting
      if (!next) return { pools: [] }
      const [token, { left, taken }] = next
      waiting.delete(token)
      const looking = deps.dexes.flatMap((dex) =>
        familyOf(dex)
          .creations.filter(({ keyedTokensAt }) => keyedTokensAt !== undefined)
          .map((creation) => look(deps, { dex, creation, token })),
      )
      const looked = await joinAll(looking).catch((error: unknown) => {
        // Nobody was there: it has another turn.
        waiting.set(token, next[1])
        throw error
      })
      const isWhole = looked.every((one) => one.isWhole)
      if (!isWhole && left > 1) waiting.set(token, { left: left - 1, taken: taken + 1 })
      return {
        token,
        pools: pickEnds(
          looked.flatMap(({ pools }) => pools),
          mostPools,
        ),
      }
    },
  }
}

type Question = { readonly dex: Dex; readonly creation: PoolCreation; readonly token: Address }

/** Undefined where the node does not give as much. */
async function readBoth(
  deps: Pick<Step, 'client'>,
  {
    dex,
    creation: { topic, keyedTokensAt = 1 },
    token,
    ...range
  }: Question & { readonly fromBlock: bigint; readonly toBlock: bigint },
): Promise<readonly ScannedLog[] | undefined> {
  const word: Hex = pad(token, { size: 32 })
  const before = Array.from({ length: keyedTokensAt - 1 }, () => null)
  const scanned = await Promise.all(
    [[word], [null, word]].map((places) =>
      scanLogs(deps, {
        address: dex.factory,
        topics: [topic, ...before, ...places],
        mostRequests: 1,
        ...range,
      }),
    ),
  )
  return scanned.every(({ isWhole }) => isWhole) ? scanned.flatMap(({ logs }) => logs) : undefined
}

/** What it is paired with has to be known: of made-up tokens there is no end. */
function toRefs(
  log: ScannedLog,
  { dex, creation, token, tokens }: Question & Pick<Step, 'tokens'>,
): readonly PoolRef[] {
  const created = creation.read(log)
  if (!created) return []
  const { tokens: own, ...pool } = created
  return tokens.hasAll(own.filter((one) => one !== token)) ? [{ dex, ...pool }] : []
}
