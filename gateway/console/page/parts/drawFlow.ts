import { sankey, sankeyLinkHorizontal } from 'd3-sankey'
import type { Quote, QuoteStep, RouteGraph } from '../../../client/wire/routing.ts'

const width = 960
const height = 320
const thickness = 8

export type Diagram = {
  readonly width: number
  readonly height: number
  readonly nodes: readonly {
    readonly key: string
    readonly kind: 'token' | 'pool'
    readonly name: string
    readonly x: number
    readonly y: number
    readonly thickness: number
    readonly length: number
  }[]
  readonly bands: readonly {
    readonly key: string
    readonly path: string
    readonly thickness: number
    readonly step: QuoteStep
    /** Of the step, in the quote. */
    readonly stepAt: number
    readonly grade: string
  }[]
}

type Node = { key: string; kind: 'token' | 'pool'; name: string }
type Band = { value: number; step: QuoteStep; stepAt: number; grade: string }
type Link = Band & { key: string; source: string; target: string }

/** Tokens and pools in the order that a route reaches them, and bands as wide as the shares between them. */
export function drawFlow({
  quote,
  graph,
  nameOf,
}: {
  readonly quote: Quote
  readonly graph: RouteGraph
  readonly nameOf: (token: string) => string
}): Diagram {
  const tokens = graph.nodes.map(
    ({ token, symbol }, index): Node => ({
      key: `token ${index}`,
      kind: 'token',
      name: symbol ?? nameOf(token),
    }),
  )
  const pools: Node[] = []
  const links = graph.edges.flatMap((edge): Link[] => {
    const step = quote.steps[edge.step]
    if (!step) return []
    // The same after a block, as long as the route goes through the pool.
    const key = step.pool_id ?? step.pool
    const grade = quote.pool_grades[edge.step] ?? '?'
    pools.push({ key, kind: 'pool', name: `${step.dex} ${step.fee_pips / 100} bps` })
    // A share below a hundredth of a percent is still a band.
    const band = { value: Math.max(1, edge.share_bps), step, stepAt: edge.step, grade }
    return [
      { key: `${key} takes`, source: `token ${edge.from}`, target: key, ...band },
      { key: `${key} gives`, source: key, target: `token ${edge.to}`, ...band },
    ]
  })
  const drawn = sankey<Node, Link>()
    .nodeId(({ key }) => key)
    .nodeWidth(thickness)
    .nodePadding(12)
    .extent([
      [2, 8],
      [width - 2, height - 8],
    ])({ nodes: [...tokens, ...pools], links })
  const toPath = sankeyLinkHorizontal<Node, Link>()
  return {
    width,
    height,
    nodes: drawn.nodes.map(({ key, kind, name, x0 = 0, y0 = 0, y1 = 0 }) => {
      return { key, kind, name, x: x0, y: y0, thickness, length: Math.max(1, y1 - y0) }
    }),
    bands: drawn.links.map((link) => ({
      key: link.key,
      path: toPath(link) ?? '',
      thickness: Math.max(1, link.width ?? 1),
      step: link.step,
      stepAt: link.stepAt,
      grade: link.grade,
    })),
  }
}
