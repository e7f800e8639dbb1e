import Table from 'cli-table3'
import type { HttpFigures } from './server/measureHttp.ts'

/** The first row is the floor that the others are measured by. */
export function printHttp(figures: readonly HttpFigures[]): void {
  const floor = figures[0]
  const table = new Table({
    head: [
      'endpoint',
      'req/s',
      'p50 ms',
      'p99 ms',
      'CPU µs/req',
      'per core',
      'of the floor',
      'failures',
    ],
    style: { head: [], border: [] },
  })
  for (const { name, rps, p50Ms, p99Ms, cpuMicros, failures } of figures)
    table.push([
      name,
      rps.toFixed(0),
      p50Ms,
      p99Ms,
      cpuMicros?.toFixed(1) ?? '',
      cpuMicros === undefined ? '' : (1e6 / cpuMicros).toFixed(0),
      floor ? `${((100 * rps) / floor.rps).toFixed(0)} %` : '',
      failures,
    ])
  process.stdout.write(`${table.toString()}\n`)
}
