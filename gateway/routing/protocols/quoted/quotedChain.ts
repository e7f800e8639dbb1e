import { type Address, getAddress, type Hex } from 'viem'
import { getChain } from '../../../chain/chains.ts'
import type { Protocol } from '../../../chain/dex.ts'
import { isNative } from '../../../chain/native.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { LoadParameters, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { type ReadCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import { pickParts, readParts } from '../../reads/readParts.ts'
import { type PoolFamily, type Quoter, toHead } from '../family/poolFamily.ts'
import { createQuotedPool, gridSize, leastOutput, type QuotedState, samplesAt } from './quoted.ts'
import { readGrids, type SampledDirection, upTo } from './readGrids.ts'

type QuotedName =
  | 'curve_crypto'
  | 'maverick_v2'
  | 'dodo_v2'
  | 'fluid'
  | 'woofi'
  | 'ramses_v1'
  | 'balancer_v3_quoted'
  | 'erc4626'

/** A pool priced by its protocol's quoter. */
export type QuotedRecord = PoolHead &
  QuotedState & {
    readonly protocol: QuotedName
    /** Who is asked: the pool itself, or the quoter of its exchange. */
    readonly quoter: Address
    /** Whether a side is the native currency itself; its token is the wrapped one then. */
    readonly native: readonly boolean[]
    /** How much of each token belongs to it, or to whoever holds its tokens. */
    readonly held: readonly bigint[]
    /** Most of each token that a swap is paid, where its quoter promises more than the pool may pay. */
    readonly limits?: readonly bigint[] | undefined
  }

/** What is known of a pool before its quoter was asked about any amount. */
type Unsampled = Omit<QuotedRecord, 'amounts' | 'outputs' | 'held'>

/** A view that tells the fee, in which word of its answer, and what a whole is in its units. */
type Fee = {
  readonly unit: bigint
  readonly wordAt?: number | undefined
  call(pool: PoolRef): ReadCall
}

/** What tells one quoted protocol from another. */
export type QuotedProtocol = Pick<
  PoolFamily<QuotedRecord>,
  'find' | 'list' | 'creations' | 'encodeStep' | 'poolIdOf'
> & {
  readonly protocol: QuotedRecord['protocol'] & Protocol
  /** Events after which a pool is asked again. */
  readonly topics: readonly Hex[]
  /** The tokens of each pool, as the pool names them; undefined where it is none. */
  readTokens(
    deps: ReadDeps,
    parameters: LoadParameters,
  ): Promise<readonly (readonly Address[] | undefined)[]>
  /** How much of each token belongs to each pool, where its holder has that of others too. */
  readHeld?(
    deps: ReadDeps,
    parameters: LoadParameters,
  ): Promise<readonly (readonly bigint[] | undefined)[]>
  /** Most of each token that a swap through each pool is paid; undefined where nobody says. */
  readLimits?(
    deps: ReadDeps,
    parameters: { readonly records: readonly Unsampled[]; readonly blockNumber: bigint },
  ): Promise<readonly (readonly bigint[] | undefined)[]>
  /** What of others' code each pool's swaps ask, where a factory lets its callers choose it. */
  listParts?(deps: ReadDeps, parameters: LoadParameters): Promise<readonly (readonly Address[])[]>
  /** The fee in pips of each pool, where one can be told. */
  readonly fee?: Fee | undefined
  /** Where one contract holds the tokens of all pools, wherever it stands, and tells of their changes. */
  readonly vault?: Address | undefined
  readonly quoter: Quoter<Unsampled>
  /** Gas of a step that sells token i. */
  stepGas(record: QuotedRecord, i: number): number
}

/** A pool is sampled again without an event after this time: prices move by clocks and oracles too. */
const resampleMs = 10_000
/** A block is not held up by more than this. */
const mostPerRefresh = 4
const pips = 1_000_000n

/** A family whose pools the search sees through samples, and whose routes the chain prices. */
export function createQuotedFamily(
  own: QuotedProtocol,
  { now = () => performance.now() }: { readonly now?: (() => number) | undefined } = {},
): PoolFamily<QuotedRecord> {
  const ages = createSampleAges()
  const { vault } = own
  return {
    find: own.find,
    ...(own.list && { list: own.list }),
    ...(vault && { emitters: () => [vault] }),
    ...(own.poolIdOf && { poolIdOf: own.poolIdOf }),
    creations: own.creations,
    topics: own.topics,
    async load(deps, { pools, blockNumber }) {
      const blanks = await readBlanks(own, deps, { pools, blockNumber })
      const records = await sample(own, deps, { blanks, blockNumber })
      ages.restart(records, now())
      return records.filter((record) => {
        if (record.outputs.some((output) => output > 0n)) return true
        // Empty, or paused: its quoter refuses whatever it is asked.
        deps.noteFailure?.({ target: record.address, data: '0x' }, 'unopened')
        return false
      })
    },
    encodeStep: own.encodeStep,
    // Anybody may name a pool in an event of theirs: its own word counts, and its vault's.
    apply: (record, { address }) =>
      address === record.id || address === vault?.toLowerCase() ? undefined : record,
    async refresh(deps, { records, blockNumber }) {
      const atMs = now()
      const due = ages.mostDue(records, atMs)
      const blanks = due.map((record) => toBlank(own, record))
      // Samples only guide the search: old ones will do, and no block waits for a slow quoter.
      const fresh = await sample(own, deps, { blanks, blockNumber }).catch(() => [])
      ages.restart([...due, ...fresh], atMs)
      return new Map(
        fresh.map(({ id, amounts, outputs, limits }) => {
          const sampled = { amounts, outputs }
          return [id, own.readLimits ? { ...sampled, limits } : sampled]
        }),
      )
    },
    quoter: {
      question: own.quoter.question,
      readAnswer: (words, trade, record) =>
        upTo(record.limits?.[trade.j], own.quoter.readAnswer(words, trade, record)),
      async readBounds(deps, { record, blockNumber }) {
        const [limits] = (await own.readLimits?.(deps, { records: [record], blockNumber })) ?? []
        return limits ? { limits } : {}
      },
    },
    toEnginePool: createQuotedPool,
    midPrice({ tokens, amounts, outputs }, i, j) {
      const start = samplesAt({ tokens }, i, j)
      const k = outputs.slice(start, start + gridSize).findIndex((output) => output >= leastOutput)
      return k < 0 ? 0 : Number(outputs[start + k]) / Number(amounts[start + k])
    },
    // Samples say nothing about how a price moves beyond them.
    depth: () => undefined,
    held: ({ held }, i) => Number(held[i] ?? 0n),
    stepGas: own.stepGas,
    takesTaxedInput: false,
  }
}

/** How old each pool's samples are, by the samples themselves: a record is another object after each change. */
function createSampleAges() {
  const sampledAtMs = new WeakMap<QuotedRecord['outputs'], number>()
  return {
    restart(records: readonly QuotedRecord[], atMs: number): void {
      for (const { outputs } of records) sampledAtMs.set(outputs, atMs)
    },
    /** The oldest first, and few. */
    mostDue(records: readonly QuotedRecord[], atMs: number): readonly QuotedRecord[] {
      const ageOf = ({ outputs }: QuotedRecord) => atMs - (sampledAtMs.get(outputs) ?? 0)
      return records
        .filter((record) => ageOf(record) >= resampleMs)
        .toSorted((one, other) => ageOf(other) - ageOf(one))
        .slice(0, mostPerRefresh)
    },
  }
}

type Blank = {
  readonly record: Unsampled
  readonly holder: Address
  readonly held?: readonly bigint[] | undefined
  /** The largest amounts that it was asked about before. */
  readonly topOf?: ((i: number, j: number) => bigint | undefined) | undefined
}

/** What is known of pools before their quoter is asked about any amount. */
async function readBlanks(
  own: QuotedProtocol,
  deps: ReadDeps,
  { pools, blockNumber }: LoadParameters,
): Promise<readonly Blank[]> {
  const wrapped = getChain(deps.client.chain.id)?.wrappedNative
  const [named, fees, helds, partsOf] = await Promise.all([
    own.readTokens(deps, { pools, blockNumber }),
    readFees(own, deps, { pools, blockNumber }),
    own.readHeld?.(deps, { pools, blockNumber }),
    own.listParts?.(deps, { pools, blockNumber }) ?? [],
  ])
  const parts = await readParts(deps, { addresses: partsOf.flat(), blockNumber })
  return pools.flatMap((pool, index): Blank[] => {
    const coins = named[index]
    if (!wrapped || !coins || coins.length < 2) return []
    const tokens = coins.map((coin) => (isNative(coin) ? wrapped : coin))
    const { dex, address } = pool
    return [
      {
        holder: own.vault ?? address,
        held: helds?.[index],
        record: {
          ...toHead(pool, { tokens, blockNumber }),
          protocol: own.protocol,
          parts: pickParts(parts, partsOf[index]),
          quoter: getAddress(dex.quoter ?? address),
          feePips: fees[index] ?? 0,
          isFresh: tokens.map(() => false),
          native: coins.map(isNative),
        },
      },
    ]
  })
}

/** A pool that is to be sampled again. */
function toBlank(own: QuotedProtocol, record: QuotedRecord): Blank {
  return {
    record,
    holder: own.vault ?? record.address,
    held: record.held,
    topOf: (i, j) => record.amounts[samplesAt(record, i, j) + gridSize - 1],
  }
}

async function readFees(
  { fee }: QuotedProtocol,
  deps: ReadDeps,
  { pools, blockNumber }: LoadParameters,
): Promise<readonly number[]> {
  if (!fee) return []
  const answers = await readCalls(deps, { calls: pools.map(fee.call), blockNumber })
  return answers.map((words) => Number(((words?.[fee.wordAt ?? 0] ?? 0n) * pips) / fee.unit))
}

async function sample(
  own: QuotedProtocol,
  deps: ReadDeps,
  { blanks, blockNumber }: { readonly blanks: readonly Blank[]; readonly blockNumber: bigint },
): Promise<QuotedRecord[]> {
  const limits = own.readLimits?.(deps, {
    records: blanks.map(({ record }) => record),
    blockNumber,
  })
  const directions = blanks.flatMap((blank, index) => listDirections(own, { blank, index }))
  const sampled = await readGrids(deps, { directions, limits, blockNumber })
  const most = await limits
  const records = blanks.map(({ record: { tokens, ...head } }, index) => ({
    ...head,
    tokens,
    ...(most && { limits: most[index] }),
    held: new Array<bigint>(tokens.length).fill(0n),
    amounts: new Array<bigint>(tokens.length ** 2 * gridSize).fill(0n),
    outputs: new Array<bigint>(tokens.length ** 2 * gridSize).fill(0n),
  }))
  for (const [at, { i, j, index }] of directions.entries()) {
    const [record, grid] = [records[index], sampled[at]]
    if (!record || !grid) continue
    record.held[i] = grid.held
    for (const [k, { amountIn, output }] of grid.samples.entries()) {
      record.amounts[samplesAt(record, i, j) + k] = amountIn
      record.outputs[samplesAt(record, i, j) + k] = output
    }
  }
  return records
}

/** Every direction of a pool; `index` is the pool's. */
function listDirections(
  { quoter }: QuotedProtocol,
  {
    blank: { record, holder, held, topOf },
    index,
  }: { readonly blank: Blank; readonly index: number },
): readonly SampledDirection[] {
  const pairs = record.tokens.flatMap((_, i) =>
    record.tokens.flatMap((__, j) => (i === j ? [] : [{ i, j }])),
  )
  return pairs.map(({ i, j }) => ({
    index,
    i,
    j,
    holder,
    held: held?.[i],
    top: topOf?.(i, j),
    token: record.native[i] ? undefined : (record.tokens[i] as Address),
    ask: (amountIn) => quoter.question(record, { i, j, amountIn }),
    readOutput: (words, amountIn) => quoter.readAnswer(words, { i, j, amountIn }, record),
  }))
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
