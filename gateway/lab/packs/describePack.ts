import { statSync } from 'node:fs'
import type { PackedChain } from '../../../simulator/pack/packFile.ts'
import { printTable } from '../../observe/printTable.ts'

const daySecs = 86_400
const hourSecs = 3_600

/** For people: the age of a state that stands still. */
export function describeAge(
  { timestampSecs }: Pick<PackedChain, 'timestampSecs'>,
  nowMs: number,
): string {
  if (timestampSecs === undefined) return 'of unknown age'
  const secs = Math.max(0, Math.floor(nowMs / 1000) - Number(timestampSecs))
  if (secs >= 2 * daySecs) return `${Math.floor(secs / daySecs)} days old`
  if (secs >= 2 * hourSecs) return `${Math.floor(secs / hourSecs)} hours old`
  return `${Math.floor(secs / 60)} minutes old`
}

/** One line for each chain, said when the pack is used. */
export const describeChains = (path: string, chains: readonly PackedChain[], nowMs: number) =>
  chains.map(
    (chain) =>
      `${path}: chain ${chain.chainId} at block ${chain.blockNumber}, ${describeAge(chain, nowMs)}${chain.isFrozen ? ', its clock held' : ''}\n`,
  )

/** `forkyard pack info`. */
export function printPack(
  { print, now }: { readonly print: (text: string) => void; readonly now: () => number },
  { path, chains }: { readonly path: string; readonly chains: readonly PackedChain[] },
): void {
  printTable(print, {
    head: ['chain', 'block', 'block hash', 'age', 'clock', 'answers'],
    rows: chains.map((chain) => [
      String(chain.chainId),
      String(chain.blockNumber),
      chain.blockHash,
      describeAge(chain, now()),
      chain.isFrozen ? 'held' : 'runs',
      String(chain.answers.size),
    ]),
  })
  for (const chain of chains) print(`chain ${chain.chainId}: ${countMethods(chain)}\n`)
  print(`${path}: ${statSync(path).size} bytes\n`)
}

function countMethods({ answers }: PackedChain): string {
  const counts = new Map<string, number>()
  for (const { call } of answers.values())
    counts.set(call.method, (counts.get(call.method) ?? 0) + 1)
  const most = [...counts].toSorted(([, a], [, b]) => b - a)
  return most.map(([method, count]) => `${method} ${count}`).join(', ')
}
