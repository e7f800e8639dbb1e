import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { toExact } from '../state/amounts.ts'

/** Raw amounts. */
export type CurvePoint = {
  readonly size: bigint
  readonly best: bigint | undefined
  readonly single: bigint | undefined
  readonly bound: bigint | undefined
}
type Decimals = { readonly decimals: number; readonly symbol: string }

const height = 280

/**
 * Draws into an element, as wide as it is; returns what takes the drawing away. Outputs are drawn for each
 * coin sold: as they are, all routes would lie on one line.
 */
export function drawCurve(
  box: HTMLElement,
  points: readonly CurvePoint[],
  { tokenIn, tokenOut }: Readonly<Record<'tokenIn' | 'tokenOut', Decimals>>,
): () => void {
  const outputs = (name: 'best' | 'single' | 'bound') =>
    points.map(({ size, [name]: raw }) =>
      raw === undefined ? null : Number(toExact(raw, tokenOut.decimals)) / sold(size),
    )
  const sold = (size: bigint) => Number(toExact(size, tokenIn.decimals))
  const style = getComputedStyle(box)
  const colour = (name: string) => style.getPropertyValue(name)
  const axis = { stroke: colour('--ink'), grid: { stroke: colour('--line') } }
  const plot = new uPlot(
    {
      width: box.clientWidth,
      height,
      scales: { x: { time: false } },
      axes: [axis, { ...axis, size: 80 }],
      series: [
        { label: `Sold, ${tokenIn.symbol}` },
        { label: 'Best route', stroke: colour('--accent'), width: 2 },
        { label: 'Best single path', stroke: colour('--soft'), width: 2, dash: [6, 4] },
        { label: 'No route can bring more', stroke: colour('--good'), width: 1, dash: [2, 3] },
      ],
    },
    [points.map(({ size }) => sold(size)), outputs('best'), outputs('single'), outputs('bound')],
    box,
  )
  const watch = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }))
  watch.observe(box)
  return () => {
    watch.disconnect()
    plot.destroy()
  }
}
