import type { PackedChain } from './packFile.ts'
import { accountReads } from './recordChain.ts'

/**
 * The chain with what was used of it and, of accounts that were read, what is told of them beside: which of
 * it a run asks for first is left to chance.
 */
export function pruneChain(chain: PackedChain, used: ReadonlySet<string>): PackedChain {
  const accountOf = ({ method, params }: { method: string; params: readonly unknown[] }) =>
    accountReads.includes(method) ? String(params[0]) : undefined
  const accounts = new Set(
    [...chain.answers].flatMap(([key, { call }]) => (used.has(key) ? (accountOf(call) ?? []) : [])),
  )
  const answers = [...chain.answers].filter(([key, { call }]) => {
    const account = accountOf(call)
    return used.has(key) || (account !== undefined && accounts.has(account))
  })
  return { ...chain, answers: new Map(answers) }
}
