import type { Hex } from 'viem'
import { TangledCalldata, wordAt } from './readBytesList.ts'
import { listSteps, type Program, programSelectors, readProgram } from './routerProgram.ts'

/** Commands of commands of commands: nobody honest goes deeper. */
const maxDepth = 3

type IsHarmless = (input: Hex, depth: number) => boolean

const always: IsHarmless = () => true
const isZeroAt =
  (at: number): IsHarmless =>
  (input) =>
    wordAt(input, 32 * at) === 0n
/** Who pays in native currency pays with what was sent along. */
const paysNative: IsHarmless = isZeroAt(0)

/** The actions of v4 that take from nobody but the router. */
const actions: ReadonlyMap<number, IsHarmless> = new Map([
  [0x06, always], // swaps
  [0x07, always],
  [0x08, always],
  [0x09, always],
  [0x0b, (input, depth) => paysNative(input, depth) || isZeroAt(2)(input, depth)], // settle
  [0x0c, paysNative], // settle all
  [0x0e, always], // take
  [0x0f, always],
  [0x10, always],
  [0x11, always],
])
const commands: ReadonlyMap<number, IsHarmless> = new Map([
  [0x00, isZeroAt(4)], // swaps of v3, and whether the caller pays
  [0x01, isZeroAt(4)],
  [0x04, always], // sweep
  [0x05, always], // transfer
  [0x06, always], // pay a portion; 0x07 takes from the caller at Velodrome's
  [0x08, isZeroAt(4)], // swaps of v2
  [0x09, isZeroAt(4)],
  [0x0b, always], // wrap
  [0x0c, always], // unwrap
  [0x0e, always], // check a balance
  [0x10, (input) => areHarmless(readProgram(input), { known: actions, mask: 0xff, depth: 0 })],
  [
    0x21, // commands of their own
    (input, depth) =>
      depth < maxDepth && areHarmless(readProgram(input), { ...ofRouter, depth: depth + 1 }),
  ],
])
/** The highest bits say what follows a failure, or nothing. */
const ofRouter = { known: commands, mask: 0x3f }

function areHarmless(
  program: Program,
  {
    known,
    mask,
    depth,
  }: {
    readonly known: ReadonlyMap<number, IsHarmless>
    readonly mask: number
    readonly depth: number
  },
): boolean {
  const steps = listSteps(program)
  return steps?.every(([step, input]) => known.get(step & mask)?.(input, depth) === true) ?? false
}

/**
 * Whether a payload has Universal Router take of the caller what it may by Permit2, use a signature or touch
 * positions. Of what was sent along or handed to it first, a swap does without all of that.
 */
export function takesByRouter(calldata: Hex): boolean {
  const selector = calldata.slice(0, 10).toLowerCase()
  if (!programSelectors.some((each) => each === selector)) return false
  try {
    return !areHarmless(readProgram(calldata, { behind: 4 }), { ...ofRouter, depth: 0 })
  } catch (error) {
    // Contracts read more than this: what nobody here can read is believed to take.
    if (error instanceof TangledCalldata) return true
    throw error
  }
}
