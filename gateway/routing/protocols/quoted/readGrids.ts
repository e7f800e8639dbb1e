import { greater, lesser } from '../../../amounts/amounts.ts'
import { type QuotedDirection, type Samples, sampleQuoters } from '../../reads/askQuoters.ts'
import type { ReadDeps } from '../../reads/poolRef.ts'
import { type Grid, gridRatio, gridSize, leastOutput, listGrid } from './quoted.ts'

/** One direction of a pool of a list. */
export type SampledDirection = Omit<QuotedDirection, 'held'> & {
  readonly index: number
  readonly i: number
  readonly j: number
  /** All that the pool holds of the token sold; undefined: what its holder has. */
  readonly held?: bigint | undefined
  /** The largest amount to ask about, where it is another than all that is held. */
  readonly top?: bigint | undefined
  readonly readOutput: (words: readonly bigint[], amountIn: bigint) => bigint | undefined
}
/** What a quoter says to an amount; an output of 0 where it refuses, or promises what is not paid. */
type Sample = { readonly amountIn: bigint; readonly output: bigint }
export type SampledGrid = { readonly held: bigint; readonly samples: readonly Sample[] }

type Drawn = SampledGrid & {
  readonly direction: SampledDirection
  /** Most that is paid. */
  readonly limit: bigint | undefined
  readonly isWhole: boolean
}
type At = { readonly blockNumber: bigint }

const fine: Grid = { points: gridSize, ratio: gridRatio }
/** From some cents of a token of six decimals to all that there is of any. */
const rough: Grid = { points: 6, ratio: 1n << 16n }
const roughTop = 1n << 96n
/** Where all of a grid buys less than this part of what there is to buy, it ends before the pool does. */
const endPart = 4n
const nothing: Samples = { held: 0n, isWhole: true, answers: [] }

/**
 * Asks every direction about every amount of its grid, in one round trip. A pool mostly takes about as much
 * of a token as it holds. Where it holds little or none, the grid is drawn again, up to what all that there
 * is to buy is worth: at the price of what was answered, or else of a few amounts of all sizes.
 */
export async function readGrids(
  deps: ReadDeps,
  {
    directions,
    limits: reading,
    blockNumber,
  }: At & {
    readonly directions: readonly SampledDirection[]
    /** Most of each token that each pool of the list pays. */
    readonly limits: Promise<readonly (readonly bigint[] | undefined)[]> | undefined
  },
): Promise<readonly SampledGrid[]> {
  const asked = directions.map((direction): Asked => {
    const { top = direction.held } = direction
    return { direction, top }
  })
  const [answers, limits] = await Promise.all([
    askAll(deps, { asked, grid: fine, blockNumber }),
    reading,
  ])
  const drawn = directions.map((direction, at) => {
    const limit = limits?.[direction.index]?.[direction.j]
    return draw({ direction, limit, answer: answers[at] ?? nothing, grid: fine })
  })
  return widen(deps, { drawn, blockNumber })
}

/** Draws anew the grids that end before their pools do. */
async function widen(
  { client }: ReadDeps,
  { drawn, blockNumber }: At & { readonly drawn: readonly Drawn[] },
): Promise<readonly SampledGrid[]> {
  const holds = new Map(drawn.map(({ direction: { index, i }, held }) => [`${index} ${i}`, held]))
  const toBuy = ({ direction: { index, j }, limit }: Drawn) => {
    const held = holds.get(`${index} ${j}`) ?? 0n
    return lesser(held, limit ?? held)
  }
  const redraw = async (grid: Grid, topOf: (one: Drawn, at: number) => bigint | undefined) => {
    const tops = drawn.map(topOf)
    const places = [...drawn.keys()].filter((at) => tops[at] !== undefined)
    const asked = places.map((at) => ({ ...(drawn[at] as Drawn), top: tops[at] }))
    // A pool is no worse for what becomes of amounts that are not its own: no failure is noted.
    const answers = await askAll({ client }, { asked, grid, blockNumber })
    const again = asked.map((one, k) => {
      const { samples, isWhole } = draw({ ...one, answer: answers[k] ?? nothing, grid })
      return isWhole && mostOf(samples) > mostOf(one.samples) ? { ...one, samples } : undefined
    })
    return new Map(places.map((at, k) => [at, again[k]]))
  }
  const priced = await redraw(rough, (one) =>
    one.isWhole && mostOf(one.samples) === 0n && toBuy(one) >= leastOutput ? roughTop : undefined,
  )
  const wide = await redraw(fine, (one, at) => {
    const known = priced.get(at) ?? (endsEarly(one, toBuy(one)) ? one : undefined)
    return known && worthOf(toBuy(one), known)
  })
  return drawn.map((one, at) => wide.get(at) ?? one)
}

type Asked = {
  readonly direction: SampledDirection
  /** Undefined: what the holder has. */
  readonly top: bigint | undefined
}

async function askAll(
  deps: ReadDeps,
  { asked, grid, blockNumber }: At & { readonly asked: readonly Asked[]; readonly grid: Grid },
): Promise<readonly Samples[]> {
  // To the lens 0 is no amount: it would take what the holder has.
  const open = asked.filter(({ top }) => top !== 0n)
  const directions = open.map(({ direction, top }) => ({ ...direction, held: top }))
  const answers = await sampleQuoters(deps, { directions, ...grid, blockNumber })
  const byAsked = new Map(open.map((one, k) => [one, answers[k]]))
  return asked.map((one) => byAsked.get(one) ?? nothing)
}

function draw({
  direction,
  limit,
  answer,
  grid,
}: Pick<Drawn, 'direction' | 'limit'> & {
  readonly answer: Samples
  readonly grid: Grid
}): Drawn {
  const samples = listGrid(answer.held, grid).map((amountIn, k): Sample => {
    const words = answer.answers[k]
    const output = words && upTo(limit, direction.readOutput(words, amountIn))
    return { amountIn, output: output ?? 0n }
  })
  return { direction, limit, held: direction.held ?? answer.held, isWhole: answer.isWhole, samples }
}

/** What the quoter promises, as far as the pool may pay it. */
export function upTo(limit: bigint | undefined, output: bigint | undefined): bigint | undefined {
  return output === undefined || limit === undefined || output <= limit ? output : undefined
}

function mostOf(samples: readonly Sample[]): bigint {
  return samples.reduce((most, { output }) => greater(most, output), 0n)
}

/** Whether the pool takes much more than the largest amount that it was asked about. */
function endsEarly({ samples }: SampledGrid, toBuy: bigint): boolean {
  const last = samples.at(-1)
  return last !== undefined && last.output > 0n && last.output * endPart < toBuy
}

/** What an output costs at the price of the least amount that tells one. */
function worthOf(output: bigint, { samples }: SampledGrid): bigint | undefined {
  const sample =
    samples.find((one) => one.output >= leastOutput) ?? samples.findLast((one) => one.output > 0n)
  return sample && (sample.amountIn * output) / sample.output
}
