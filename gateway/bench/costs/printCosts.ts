import Table from 'cli-table3'
import type { Cost } from './measureCosts.ts'

const show = (value: number) => value.toFixed(Math.abs(value) < 10 ? 2 : 0)
const toKb = (bytes: number) => show(bytes / 1_000)
function print(head: string[], rows: readonly (readonly string[])[]): void {
  const table = new Table({ head, style: { head: [], border: [] } })
  for (const row of rows) table.push([...row])
  process.stdout.write(`${table.toString()}\n`)
}

export function printCosts(costs: readonly Cost[]): void {
  const head = ['one of', 'gateway ms', 'forks ms', 'nodes ms', 'calls', 'bytes']
  const rows = costs.map(({ what, each, keptBytes, bytes }) => {
    const { gatewayMs, forksMs, nodesMs, upstreamCalls, allocatedBytes } = each
    const figures = [gatewayMs, forksMs, nodesMs, upstreamCalls].map(show)
    const memory = [allocatedBytes, keptBytes].map(toKb)
    return [what, ...figures, bytes?.toFixed(0) ?? '', ...memory]
  })
  print([...head, 'allocated kB', 'kept kB'], rows)
}

type Kept = { readonly what: string; readonly count: number; readonly eachBytes: number }

/** What each of so many keeps in memory. */
export function printKept(kept: readonly Kept[]): void {
  const rows = kept.map(({ what, count, eachBytes }) => [what, String(count), toKb(eachBytes)])
  print(['one of', 'of', 'kept kB'], rows)
}
