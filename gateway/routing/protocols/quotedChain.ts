import { type Address, erc20Abi, getAddress, type Hex } from 'viem'
import { getBalance } from 'viem/actions'
import { getChain, isNative } from '../../chain/chains.ts'
import type { Dex, Protocol } from '../../chain/dexes.ts'
import { askQuoters } from '../sync/askQuoters.ts'
import { chunk } from '../sync/chunk.ts'
import { dedupePools } from '../sync/findPools.ts'
import { callQuoteLens } from '../sync/lens.ts'
import { readCall, readCalls, wordToAddress } from '../sync/readCalls.ts'
import {
  type FindParameters,
  type LoadParameters,
  type PoolFamily,
  type PoolRef,
  type Quoter,
  type ReadDeps,
  type Trade,
  toHead,
} from './poolFamily.ts'
import type { PoolHead } from './poolHead.ts'
import {
  createQuotedPool,
  gridSize,
  leastOutput,
  listGrid,
  outputsAt,
  type QuotedState,
} from './quoted.ts'

/** A pool priced by its protocol's quoter. */
export type QuotedRecord = PoolHead &
  QuotedState & {
    readonly protocol: 'curve_crypto' | 'maverick_v2' | 'dodo_v2' | 'fluid' | 'woofi'
    /** Who is asked: the pool itself, or the quoter of its exchange. */
    readonly quoter: Address
    /** Whether a side is the native currency itself; its token is the wrapped one then. */
    readonly native: readonly boolean[]
  }

/** What is known of a pool before its quoter was asked about any amount. */
type Unsampled = Omit<QuotedRecord, 'amounts' | 'outputs'>

/** What tells one quoted protocol from another. */
export type QuotedProtocol = Pick<
  PoolFamily<QuotedRecord>,
  'find' | 'list' | 'creations' | 'encodeStep'
> & {
  readonly protocol: QuotedRecord['protocol'] & Protocol
  /** Events after which a pool is asked again. */
  readonly topics: readonly Hex[]
  /** The tokens of each pool, as the pool names them; undefined where it is none. */
  readTokens(
    deps: ReadDeps,
    parameters: LoadParameters,
  ): Promise<readonly (readonly Address[] | undefined)[]>
  /** The fee in pips of each pool, where one can be told. */
  readonly feeCall?: { readonly data: Hex; readonly unit: bigint } | undefined
  /** Who holds the tokens of a pool; the pool itself when not given. */
  holderOf?(dex: Dex): Address | undefined
  readonly quoter: Quoter<Unsampled>
  readonly stepGas: number
}

/** A pool is sampled again without an event after this time: prices move by clocks and oracles too. */
const resampleMs = 1_000
const pips = 1_000_000n

/** A family whose pools the search sees through samples, and whose routes the chain prices. */
export function createQuotedFamily(own: QuotedProtocol): PoolFamily<QuotedRecord> {
  const sampledAtMs = new WeakMap<QuotedRecord, number>()

  async function load(
    deps: ReadDeps,
    { pools, blockNumber }: LoadParameters,
  ): Promise<QuotedRecord[]> {
    const wrapped = getChain(deps.client.chain.id)?.wrappedNative
    const named = await own.readTokens(deps, { pools, blockNumber })
    const fees = await readFees(deps, { pools, blockNumber })
    const blanks = pools.flatMap((pool, index): Blank[] => {
      const coins = named[index]
      if (!wrapped || !coins || coins.length < 2) return []
      const tokens = coins.map((coin) => (isNative(coin) ? wrapped : coin))
      const { dex, address } = pool
      return [
        {
          holder: own.holderOf?.(dex) ?? address,
          record: {
            ...toHead(pool, { tokens, blockNumber }),
            ...{ protocol: own.protocol, quoter: getAddress(dex.quoter ?? address) },
            ...{ feePips: fees[index] ?? 0, isFresh: tokens.map(() => false) },
            native: coins.map(isNative),
          },
        },
      ]
    })
    const records = await sample(deps, { blanks, blockNumber })
    for (const record of records) sampledAtMs.set(record, performance.now())
    return records.filter(({ outputs }) => outputs.some((output) => output > 0n))
  }

  async function readFees(deps: ReadDeps, { pools, blockNumber }: LoadParameters) {
    const { feeCall } = own
    if (!feeCall) return []
    const calls = pools.map(({ address: target }) => ({ target, data: feeCall.data }))
    const answers = await readCalls(deps, { calls, blockNumber })
    return answers.map((words) => Number(((words?.[0] ?? 0n) * pips) / feeCall.unit))
  }

  /** Asks every pool about every amount of its grid, in as few requests as there are batches. */
  async function sample(
    deps: ReadDeps,
    { blanks, blockNumber }: { readonly blanks: readonly Blank[]; readonly blockNumber: bigint },
  ): Promise<QuotedRecord[]> {
    const grids = await readGrids(deps, { blanks, blockNumber })
    const trades = blanks.flatMap(({ record }, index) =>
      listTrades(record, grids[index] ?? []).map((trade) => ({ record, index, trade })),
    )
    const answers = await askQuoters(deps, {
      questions: trades.map(({ record, trade }) => own.quoter.question(record, trade)),
      blockNumber,
    })
    const outputs = blanks.map(({ record }) =>
      new Array<bigint>(record.tokens.length ** 2 * gridSize).fill(0n),
    )
    for (const [at, { record, index, trade }] of trades.entries()) {
      const words = answers[at]
      const output = words && own.quoter.readAnswer(words, trade)
      const place = outputsAt(record, trade.i, trade.j) + trade.k
      if (output !== undefined) (outputs[index] ?? [])[place] = output
    }
    return blanks.map(({ record }, index) => ({
      ...record,
      amounts: grids[index] ?? [],
      outputs: outputs[index] ?? [],
    }))
  }

  return {
    find: own.find,
    ...(own.list && { list: own.list }),
    ...{ creations: own.creations, topics: own.topics, load, encodeStep: own.encodeStep },
    apply: () => undefined,
    async refresh(deps, { records, dexes, blockNumber }) {
      const due = records.filter(
        (record) => performance.now() - (sampledAtMs.get(record) ?? 0) >= resampleMs,
      )
      const blanks = due.map((record) => {
        const dex = dexes.find(({ name }) => name === record.dex)
        const holder = (dex && own.holderOf?.(dex)) ?? record.address
        return { record, holder }
      })
      const fresh = await sample(deps, { blanks, blockNumber })
      for (const record of due) sampledAtMs.set(record, performance.now())
      return new Map(fresh.map(({ id, amounts, outputs }) => [id, { amounts, outputs }]))
    },
    quoter: own.quoter,
    toEnginePool: createQuotedPool,
    midPrice({ tokens, amounts, outputs }, i, j) {
      const start = outputsAt({ tokens }, i, j)
      const k = outputs.slice(start, start + gridSize).findIndex((output) => output >= leastOutput)
      return k < 0 ? 0 : Number(outputs[start + k]) / Number(amounts[i * gridSize + k])
    },
    // Samples say nothing about how a price moves beyond them.
    depth: () => undefined,
    stepGas: () => own.stepGas,
    takesTaxedInput: false,
  }
}

type Blank = {
  readonly record: Unsampled
  readonly holder: Address
}

function listTrades(
  { tokens }: Unsampled,
  grid: readonly bigint[],
): readonly (Trade & { readonly k: number })[] {
  return tokens.flatMap((_, i) =>
    tokens.flatMap((__, j) =>
      Array.from({ length: i === j ? 0 : gridSize }, (___, k) => ({
        ...{ i, j, k },
        amountIn: grid[i * gridSize + k] ?? 0n,
      })).filter(({ amountIn }) => amountIn > 0n),
    ),
  )
}

/** The amounts worth asking about, by what lies in each pool. */
async function readGrids(
  deps: ReadDeps,
  { blanks, blockNumber }: { readonly blanks: readonly Blank[]; readonly blockNumber: bigint },
): Promise<readonly (readonly bigint[])[]> {
  const calls = blanks.flatMap(({ record, holder }) =>
    record.tokens.map((token) =>
      readCall(token as Address, {
        ...{ abi: erc20Abi, functionName: 'balanceOf', args: [holder] },
      }),
    ),
  )
  const words = await readCalls(deps, { calls, blockNumber })
  let at = 0
  return Promise.all(
    blanks.map(async ({ record, holder }) => {
      const held = record.tokens.map(() => words[at++]?.[0] ?? 0n)
      for (const [k, isNativeSide] of record.native.entries())
        if (isNativeSide) held[k] = await getBalance(deps.client, { address: holder, blockNumber })
      return held.flatMap(listGrid)
    }),
  )
}

/** Two views of each pool that name its tokens. */
export async function readPairTokens(
  deps: ReadDeps,
  { pools, blockNumber, selectors }: LoadParameters & { readonly selectors: readonly [Hex, Hex] },
): Promise<readonly (readonly Address[] | undefined)[]> {
  const calls = pools.flatMap(({ address: target }) => selectors.map((data) => ({ target, data })))
  const words = await readCalls(deps, { calls, blockNumber })
  return pools.map((_, index) => {
    const [one, other] = [words[2 * index]?.[0], words[2 * index + 1]?.[0]]
    return one && other ? [wordToAddress(one), wordToAddress(other)] : undefined
  })
}

/** Asks a factory that lists the pools of two tokens, in whichever order it knows them. */
export async function findByPair(
  { client }: ReadDeps,
  {
    dex,
    a,
    b,
    blockNumber,
    selector,
    tail = '0x',
  }: FindParameters & { readonly selector: Hex; readonly tail?: Hex | undefined },
): Promise<readonly PoolRef[]> {
  const found = await Promise.all(
    chunk(a, Math.max(1, Math.floor(pairsPerCall / Math.max(1, b.length)))).map((part) =>
      callQuoteLens(client, {
        functionName: 'findLists',
        args: [dex.factory, selector, part, b, tail],
        blockNumber,
      }),
    ),
  )
  return dedupePools(found.flat().map((address) => ({ dex, address })))
}

/** The pools in an answered array of addresses. */
export function toRefs(dex: Dex, words: readonly bigint[] | undefined): readonly PoolRef[] {
  if (words?.[0] !== 32n) return []
  const count = Number(words[1] ?? 0n)
  return words.slice(arrayHead, arrayHead + count).map((word) => ({
    ...{ dex, address: wordToAddress(word) },
  }))
}

/** An array's offset and length stand before its items. */
export const arrayHead = 2
/** Two look-ups each, of some thousand gas. */
const pairsPerCall = 800
