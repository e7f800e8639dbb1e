import { printTable } from '../observe/printTable.ts'
import { benchFanOut, ratio } from './meta/fanOutBench.ts'
import { benchFaults } from './meta/faultBench.ts'
import { ms, percentile } from './meta/figures.ts'
import { benchLeave } from './meta/leaveBench.ts'
import { benchSimulate } from './meta/simulateBench.ts'
import { startRecorded } from './meta/startRecorded.ts'

/**
 * The meta-aggregator against what one would write first, interleaved in one run.
 *
 * Usage: `npm run -s bench:meta -- [rounds, default 40]`.
 */
const rounds = Number(process.argv[2] ?? 40)
const delayMs = 100
const print = (text: string) => void process.stdout.write(text)
const title = (text: string) => print(`\n${text}\n`)
const pair = (samples: readonly number[]) =>
  `${ms(percentile(samples, 0.5))} / ${ms(percentile(samples, 0.95))}`

title(`fan-out to N providers of ${delayMs} ms: ms beyond that delay, p50 / p95`)
const recorded = await startRecorded(delayMs)
const fanOuts: string[][] = []
for (const count of [1, 8, 32]) {
  const figures = await benchFanOut(recorded.url, { count, rounds, delayMs })
  const { rawFirst, rawLast, ours, oursFirst } = figures
  fanOuts.push([
    String(count),
    pair(rawLast),
    pair(ours),
    ratio(ours, rawLast).toFixed(2),
    pair(rawFirst),
    pair(oursFirst),
    ratio(oursFirst, rawFirst).toFixed(2),
  ])
}
await recorded.close()
printTable(print, {
  head: ['N', 'fetch, last', 'ours, last', 'ratio', 'fetch, first', 'ours, initial', 'ratio'],
  rows: fanOuts,
})

title('dry run of 8 quotes: ms, p50 / p95')
const { ours, inTurn, atOnce } = await benchSimulate(rounds)
printTable(print, {
  head: ['ours, one batch', 'simulateCalls in turn', 'ratio', 'simulateCalls at once', 'ratio'],
  rows: [
    [
      pair(ours),
      pair(inTurn),
      ratio(ours, inTurn).toFixed(2),
      pair(atOnce),
      ratio(ours, atOnce).toFixed(2),
    ],
  ],
})

title(
  'clients of streams leave at once: ms from leaving until the provider saw the request closed,\n  the worst of each round, p50 / p95; bare is a server that does nothing else',
)
const counts = [1, 500]
const leaving = await benchLeave({ counts, rounds: 9 })
const closedOf = (streams: number, isRaw: boolean) =>
  leaving.filter((figure) => figure.streams === streams && figure.isRaw === isRaw)
printTable(print, {
  head: ['streams', 'requests upstream', 'bare, closed', 'ours, closed', 'ratio', 'our CPU'],
  rows: counts.map((streams) => {
    const [raw, ours] = [closedOf(streams, true), closedOf(streams, false)]
    const closed = (figures: typeof ours) => figures.map(({ closedMs }) => closedMs)
    return [
      String(streams),
      String(Math.max(...ours.map(({ upstream }) => upstream))),
      pair(closed(raw)),
      pair(closed(ours)),
      ratio(closed(ours), closed(raw)).toFixed(2),
      pair(ours.map(({ cpuMs }) => cpuMs)),
    ]
  }),
})

title('faults of 8 providers')
const faults = await benchFaults()
printTable(print, {
  rows: [
    ['requests open 50 ms after the deadline', String(faults.openAfterDeadline)],
    ['requests open 50 ms after a disconnect', String(faults.openAfterDisconnect)],
    ['calls inside a Retry-After window', String(faults.callsInsideRetryAfter)],
  ],
})
