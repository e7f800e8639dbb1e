import { type Hex, size } from 'viem'
import { readBytes, readBytesList } from './readBytesList.ts'

/**
 * Uniswap's Universal Router and its forks, with a deadline, without, and as somebody signed (`executeSigned`):
 * a byte for each command, and its input.
 */
export const programSelectors = ['0x3593564c', '0x24856bc3', '0x44684dc3'] as const

/** Commands of a router, or actions of v4 within one. */
export type Program = readonly [steps: Hex, inputs: readonly Hex[]]

/** The two arguments from a number on; all begin behind so many bytes. */
export const readProgram = (data: Hex, { argument = 0, behind = 0 } = {}): Program => [
  readBytes(data, { argument, behind }),
  readBytesList(data, { argument: argument + 1, behind }),
]

/** Undefined where there are not as many inputs as steps, which no router runs. */
export function listSteps([steps, inputs]: Program):
  | readonly (readonly [step: number, input: Hex])[]
  | undefined {
  if (size(steps) !== inputs.length) return undefined
  return inputs.map((input, at) => [Number(`0x${steps.slice(2 + 2 * at, 4 + 2 * at)}`), input])
}
