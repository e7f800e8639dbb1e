import { type Address, concat, type Hex, hexToBigInt, keccak256, pad, toHex } from 'viem'

/** How a token derives the slot of a holder's balance; `direct` slots are good for one holder only. */
export type SlotFormula = 'solidity' | 'vyper' | 'solady' | 'direct'

/**
 * Where a token keeps a balance, and how its word reads as one:
 * `balance = (word >> shiftBits) % 2^widthBits * balanceUnit / wordUnit`.
 */
export type BalanceSlot = {
  readonly formula: SlotFormula
  /** The contract whose storage it is, not always the token. */
  readonly contract: Address
  /** The mapping's own slot, or the balance's slot itself when the formula is `direct`. */
  readonly base: Hex
  readonly shiftBits: number
  readonly widthBits: number
  /** 1 : 1 but for tokens that count in shares. */
  readonly wordUnit: bigint
  readonly balanceUnit: bigint
}

type Mapping = Pick<BalanceSlot, 'formula' | 'base'>

export const soladyBalanceSeed = '0x87a211a2'
const word = (value: Hex | bigint) =>
  typeof value === 'bigint' ? toHex(value, { size: 32 }) : pad(value, { size: 32 })

/** Storage key of `holder`'s balance. */
export function slotKey(slot: BalanceSlot, holder: Address): Hex {
  const last = lastKeys.get(slot)
  if (last?.holder === holder) return last.key
  const key = deriveKey(slot, holder)
  lastKeys.set(slot, { holder, key })
  return key
}

/** Most dry runs ask for the same taker again, and two hashes each were a tenth of their time here. */
const lastKeys = new WeakMap<object, { readonly holder: Address; readonly key: Hex }>()

function deriveKey({ formula, base }: Mapping, holder: Address): Hex {
  switch (formula) {
    case 'solidity':
      return keccak256(concat([word(holder), word(base)]))
    case 'vyper':
      return keccak256(concat([word(base), word(holder)]))
    case 'solady':
      return keccak256(concat([holder, pad(base, { size: 12 })]))
    case 'direct':
      return base
  }
}

const mappingsToTry = 256n
/** OpenZeppelin 5 upgradeable tokens: the ERC-7201 namespace `openzeppelin.storage.ERC20`. */
const erc7201Base = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n

/** The mapping that yields `key` for `holder`, so that one discovery serves all holders. */
export function findFormula(key: Hex, holder: Address): Mapping {
  const solady = { formula: 'solady', base: soladyBalanceSeed } as const
  if (deriveKey(solady, holder) === key) return solady
  const bases = [erc7201Base, ...Array.from({ length: Number(mappingsToTry) }, (_, i) => BigInt(i))]
  for (const base of bases)
    for (const formula of ['solidity', 'vyper'] as const)
      if (deriveKey({ formula, base: word(base) }, holder) === key)
        return { formula, base: word(base) }
  return { formula: 'direct', base: key }
}

/**
 * The word that makes the token show at least `amount`, keeping the neighbour fields of `current`;
 * undefined when the field is too narrow for it.
 */
export function fundingWord(
  slot: BalanceSlot,
  { amount, current }: { amount: bigint; current: Hex },
) {
  const { shiftBits, widthBits, wordUnit, balanceUnit } = slot
  const isScaled = wordUnit !== balanceUnit
  // Rounded up, and one more where the token itself rounds down.
  const field = isScaled ? (amount * wordUnit + balanceUnit - 1n) / balanceUnit + 1n : amount
  if (field >> BigInt(widthBits) !== 0n) return undefined
  const mask = ((1n << BigInt(widthBits)) - 1n) << BigInt(shiftBits)
  return word((hexToBigInt(current) & ~mask) | (field << BigInt(shiftBits)))
}

/** A token that counts in shares can't show every amount: so much more than asked is accepted. */
export function fundingTolerance(slot: BalanceSlot): bigint {
  if (slot.wordUnit === slot.balanceUnit) return 0n
  return 2n * (slot.balanceUnit / slot.wordUnit + 1n)
}
