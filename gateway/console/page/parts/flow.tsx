import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Quote } from '../../../client/wire/routing.ts'
import { toHuman } from '../state/amounts.ts'
import { sentenceOf } from '../state/session.ts'
import { describeToken } from '../state/tokens.ts'
import type { Diagram, drawFlow } from './drawFlow.ts'
import { Empty, Trouble } from './notes.tsx'
import type { Order } from './orderForm.tsx'
import { Scroll } from './scroll.tsx'

/** The route as a flow: bands as wide as the share of the input that runs through them. */
export function Flow({ quote, order }: { readonly quote: Quote; readonly order: Order }) {
  const draw = useSignal<typeof drawFlow | undefined>(undefined)
  const failure = useSignal('')
  useEffect(() => {
    import('./drawFlow.ts').then(
      (module) => {
        draw.value = module.drawFlow
      },
      (error: unknown) => {
        failure.value = sentenceOf(error)
      },
    )
  }, [draw, failure])
  if (failure.value !== '')
    return <Trouble>The diagram could not be loaded: {failure.value}</Trouble>
  const { route_graph: graph } = quote
  if (!draw.value || !graph) return null
  if (graph.edges.length === 0) return <Empty>No pool is needed: this only wraps.</Empty>
  const nameOf = (address: string) => describeToken(order.chainId, address).symbol
  const diagram = draw.value({ quote, graph, nameOf })
  const { width, height } = diagram
  return (
    <Scroll kind="flow" label="Flow of the route">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={quote.route_path}>
        <Bands diagram={diagram} order={order} />
        <Nodes diagram={diagram} />
      </svg>
    </Scroll>
  )
}

function Bands({ diagram, order }: { readonly diagram: Diagram; readonly order: Order }) {
  return (
    <g>
      {diagram.bands.map(({ key, path, thickness, step, grade }) => {
        const from = describeToken(order.chainId, step.token_in)
        const to = describeToken(order.chainId, step.token_out)
        return (
          <path key={key} class="band" d={path} stroke-width={thickness}>
            <title>
              {`${step.dex}, fee ${step.fee_pips / 100} bps, grade ${grade}: ${toHuman(BigInt(step.amount_in), from.decimals)} ${from.symbol} gives ${toHuman(BigInt(step.amount_out), to.decimals)} ${to.symbol}`}
            </title>
          </path>
        )
      })}
    </g>
  )
}

function Nodes({ diagram }: { readonly diagram: Diagram }) {
  const { width } = diagram
  return (
    <g>
      {diagram.nodes.map(({ key, kind, name, x, y, thickness, length }) => (
        <g key={key}>
          <rect class={kind} x={x} y={y} width={thickness} height={length} />
          <text
            x={x > width / 2 ? x - 5 : x + thickness + 5}
            y={y + length / 2}
            dy="0.35em"
            text-anchor={x > width / 2 ? 'end' : 'start'}
          >
            {name}
          </text>
        </g>
      ))}
    </g>
  )
}
