import type { Address, Hex } from 'viem'
import type { BalanceSlot } from '../../simulator/balanceSlot/balanceSlot.ts'
import type { SlotCache, SlotCacheKey } from '../../simulator/balanceSlot/resolveBalanceSlot.ts'
import type { Engine } from './engine.ts'
import { sql } from './program.ts'

type Row = {
  formula: BalanceSlot['formula']
  contract: Address
  base: Hex
  shift_bits: number
  width_bits: number
  word_unit: string
  balance_unit: string
}

const find = sql<Row>(
  `SELECT formula, contract, base, shift_bits, width_bits, word_unit, balance_unit
   FROM balance_slots
   WHERE chain_id = ? AND token = ? AND code_hash = ? AND holder = ''`,
)
const write = sql(
  `INSERT INTO balance_slots
   (chain_id, token, code_hash, holder, formula, contract, base, shift_bits, width_bits, word_unit, balance_unit)
   VALUES (?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (chain_id, token, code_hash, holder) DO UPDATE
     SET formula = excluded.formula, contract = excluded.contract, base = excluded.base,
         shift_bits = excluded.shift_bits, width_bits = excluded.width_bits,
         word_unit = excluded.word_unit, balance_unit = excluded.balance_unit`,
)

/** Where tokens keep their balances, as the simulator found it; survives restarts. */
export function createBalanceSlots(engine: Engine): SlotCache {
  return {
    async get({ chainId, token, codeHash }) {
      const row = await engine.read(() => find.get(chainId, token.toLowerCase(), codeHash))
      return row && fromRow(row)
    },
    async put({ chainId, token, codeHash, slot }: SlotCacheKey & { slot: BalanceSlot }) {
      const { formula, contract, base, shiftBits, widthBits, wordUnit, balanceUnit } = slot
      const units = [String(wordUnit), String(balanceUnit)]
      const place = [formula, contract, base, shiftBits, widthBits]
      const row = [chainId, token.toLowerCase(), codeHash, ...place, ...units]
      await engine.write(() => write.run(...row))
    },
  }
}

function fromRow(row: Row): BalanceSlot {
  return {
    formula: row.formula,
    contract: row.contract,
    base: row.base,
    shiftBits: row.shift_bits,
    widthBits: row.width_bits,
    wordUnit: BigInt(row.word_unit),
    balanceUnit: BigInt(row.balance_unit),
  }
}
