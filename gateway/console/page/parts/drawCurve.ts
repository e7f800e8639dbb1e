import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

export type CurvePoint = {
  readonly size: number
  readonly best: number | null
  readonly single: number | null
  readonly bound: number | null
}

const height = 280

/** Draws into an element, as wide as it is; returns what takes the drawing away. */
export function drawCurve(box: HTMLElement, points: readonly CurvePoint[]): () => void {
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
        { label: 'Sold' },
        { label: 'Best route', stroke: colour('--accent'), width: 2 },
        { label: 'Best single pool', stroke: colour('--soft'), width: 2, dash: [6, 4] },
        { label: 'No route can bring more', stroke: colour('--good'), width: 1, dash: [2, 3] },
      ],
    },
    [
      points.map(({ size }) => size),
      points.map(({ best }) => best),
      points.map(({ single }) => single),
      points.map(({ bound }) => bound),
    ],
    box,
  )
  const watch = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }))
  watch.observe(box)
  return () => {
    watch.disconnect()
    plot.destroy()
  }
}
