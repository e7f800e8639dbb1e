import type { SlotVerdict } from '../balanceSlot/findBalanceSlot.ts'
import type { Candidate } from '../buildBundle.ts'
import type { Generation } from '../generation.ts'
import { addressOf, word } from './answers.ts'

/** A swap of 100 of one token for another, as tests that start no chain have it simulated. */
export const plainSwap: Candidate = {
  target: addressOf('a'),
  data: '0x01020304',
  value: 0n,
  tokenIn: addressOf('b'),
  tokenOut: addressOf('c'),
  amountIn: 100n,
  spender: addressOf('f'),
}

/** Where the token that it sells keeps a balance. */
export const plainSlot: SlotVerdict = {
  status: 'found',
  slot: {
    formula: 'direct',
    contract: plainSwap.tokenIn,
    base: word(1n),
    shiftBits: 0,
    widthBits: 256,
    wordUnit: 1n,
    balanceUnit: 1n,
  },
}

/** A generation of one fork, slow lane and all. */
export const generationOf = (
  fork: Generation['fork'],
  overrides: Generation['overrides'] = { [addressOf('0')]: { code: '0xfe' } },
): Generation => ({
  blockNumber: 17n,
  blockHash: '0x17',
  timestampSecs: 1_000n,
  fork,
  overrides,
  condemn: () => undefined,
  slowFork: async () => fork,
})
