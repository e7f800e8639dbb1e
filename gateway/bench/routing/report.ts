import type { Route } from '../../routing/engine/route.ts'
import type { Compared } from './measure.ts'

/** Differences under this are ties. */
const tieBps = 0.1
const sizes = [
  { name: '< 0.1 native', from: 0, to: 0.1 },
  { name: '0.1 - 1', from: 0.1, to: 1 },
  { name: '1 - 10', from: 1, to: 10 },
  { name: '10 - 100', from: 10, to: 100 },
  { name: '> 100', from: 100, to: Number.POSITIVE_INFINITY },
] as const

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

function show(value: number, digits = 2): string {
  return Number.isNaN(value) ? '-' : value.toFixed(digits)
}

function spread(values: readonly number[], digits = 2): string {
  return [0.5, 0.95, 0.99].map((part) => show(percentile(values, part), digits)).join(' / ')
}

function net(answer: { output: bigint; gas: number }, gasPriceOut: number): number {
  return Number(answer.output) - answer.gas * gasPriceOut
}

function netOf(route: Route | undefined, gasPriceOut: number): number {
  return route ? net({ output: route.amountOut, gas: route.gas }, gasPriceOut) : Number.NaN
}

/** How much more ours brings than the other, in bps of the other; NaN where one has no route. */
function gainBps(ours: number, other: number): number {
  return ours === other ? 0 : (ours / other - 1) * 1e4
}

export function gainOverPeer(row: Compared): number {
  if (!row.peer || !row.route) return Number.NaN
  return gainBps(netOf(row.route, row.gasPriceOut), net(row.peer, row.gasPriceOut))
}

function gainOverSingle(row: Compared): number {
  return gainBps(netOf(row.route, row.gasPriceOut), netOf(row.single, row.gasPriceOut))
}

/** Table of one market at one gas price. */
export function report(title: string, rows: readonly Compared[], hasPeer: boolean): string {
  const times = [`ours ${spread(rows.map(({ ms }) => ms))}`]
  times.push(`best single path ${spread(rows.map(({ singleMs }) => singleMs))}`)
  if (hasPeer)
    times.push(
      `tines auto ${spread(
        rows.map(({ peer }) => peer?.ms ?? Number.NaN),
        1,
      )}`,
    )
  const lines = [`## ${title}`, `ms p50 / p95 / p99: ${times.join('; ')}`]
  lines.push('', tableHead, tableRule)
  for (const { name, from, to } of sizes) {
    const some = rows.filter(({ nativeValue }) => nativeValue >= from && nativeValue < to)
    if (some.length > 0) lines.push(tableRow(name, some, hasPeer))
  }
  lines.push(tableRow('all', rows, hasPeer))
  return lines.join('\n')
}

const tableHead =
  '| size | trades | gap to bound bps p50 / p95 / p99 | over single path bps p50 / p95 / p99 | over tines bps p5 / p50 / p95 | wins / ties / losses | only ours / only tines | legs ours / tines |'
const tableRule = '|---|---|---|---|---|---|---|---|'

function tableRow(name: string, rows: readonly Compared[], hasPeer: boolean): string {
  const gaps = rows.map(({ route }) => route?.gapBps ?? Number.NaN)
  const gains = rows.map(gainOverPeer).filter((gain) => !Number.isNaN(gain))
  const wins = gains.filter((gain) => gain > tieBps).length
  const losses = gains.filter((gain) => gain < -tieBps).length
  const onlyOurs = rows.filter(({ route, peer }) => route && !peer).length
  const onlyPeer = rows.filter(({ route, peer }) => !route && peer).length
  const peerCells = hasPeer
    ? [
        [0.05, 0.5, 0.95].map((part) => show(percentile(gains, part))).join(' / '),
        `${wins} / ${gains.length - wins - losses} / ${losses}`,
        `${onlyOurs} / ${onlyPeer}`,
      ]
    : ['-', '-', '-']
  const legs = mean(rows.map(({ route }) => route?.steps.length ?? Number.NaN))
  const peerLegs = mean(rows.map(({ peer }) => peer?.legs ?? Number.NaN))
  const cells = [name, `${rows.length}`, spread(gaps, 3), spread(rows.map(gainOverSingle))]
  return `| ${[...cells, ...peerCells, `${show(legs, 1)} / ${show(peerLegs, 1)}`].join(' | ')} |`
}

function mean(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value))
  return known.reduce((sum, value) => sum + value, 0) / known.length
}
