import type { Database } from 'better-sqlite3'
import type { Address, Hex } from 'viem'
import type { BalanceSlot } from '../../simulator/balanceSlot/balanceSlot.ts'
import type { SlotCache, SlotCacheKey } from '../../simulator/balanceSlot/resolveBalanceSlot.ts'

type Row = {
  formula: BalanceSlot['formula']
  contract: Address
  base: Hex
  shift_bits: number
  width_bits: number
  word_unit: string
  balance_unit: string
}

/** Where tokens keep their balances, as the simulator found it; survives restarts. */
export function createBalanceSlots(db: Database): SlotCache {
  const find = db.prepare<[number, string, string, string], Row>(
    `SELECT formula, contract, base, shift_bits, width_bits, word_unit, balance_unit
     FROM balance_slots
     WHERE chain_id = ? AND token = ? AND code_hash = ? AND holder IN ('', ?)
     ORDER BY holder LIMIT 1`,
  )
  const write = db.prepare(
    `INSERT OR REPLACE INTO balance_slots
     (chain_id, token, code_hash, holder, formula, contract, base, shift_bits, width_bits, word_unit, balance_unit)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return {
    async get({ chainId, token, codeHash, holder }) {
      const row = find.get(chainId, token.toLowerCase(), codeHash, holder.toLowerCase())
      return row && fromRow(row)
    },
    async put({ chainId, token, codeHash, holder, slot }: SlotCacheKey & { slot: BalanceSlot }) {
      const { formula, contract, base, shiftBits, widthBits, wordUnit, balanceUnit } = slot
      const owner = formula === 'direct' ? holder.toLowerCase() : ''
      const units = [String(wordUnit), String(balanceUnit)]
      const place = [formula, contract, base, shiftBits, widthBits]
      write.run(chainId, token.toLowerCase(), codeHash, owner, ...place, ...units)
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
