import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { toHuman } from '../state/amounts.ts'
import { sentenceOf } from '../state/session.ts'
import { describeToken } from '../state/tokens.ts'
import type { Diagram, drawFlow } from './drawFlow.ts'
import { Empty, Trouble } from './notes.tsx'
import { Scroll } from './scroll.tsx'
import type { Explained } from './steps.tsx'

/** The route as a flow: bands as wide as the share of the input that runs through them. */
export function Flow({ quote, order, why }: Explained) {
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
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="xMinYMid"
        role="img"
        aria-label={quote.route_path}
      >
        <Bands diagram={diagram} order={order} why={why} />
        <Nodes diagram={diagram} />
      </svg>
    </Scroll>
  )
}

type Drawn = Omit<Explained, 'quote'> & { readonly diagram: Diagram }

function Bands({ diagram, order, why }: Drawn) {
  return (
    <g>
      {diagram.bands.map(({ key, path, thickness, step, stepAt, grade }) => {
        const from = describeToken(order.chainId, step.token_in)
        const to = describeToken(order.chainId, step.token_out)
        return (
          // As a style it moves to its next place; as an attribute it stands where browsers lack that.
          <path
            key={key}
            class="band"
            d={path}
            style={{ d: `path("${path}")`, strokeWidth: `${thickness}px` }}
          >
            <title>
              {`${step.dex}, fee ${step.fee_pips / 100} bps, grade ${grade}${explain(why?.[stepAt])}: ${toHuman(BigInt(step.amount_in), from.decimals)} ${from.symbol} gives ${toHuman(BigInt(step.amount_out), to.decimals)} ${to.symbol}`}
            </title>
          </path>
        )
      })}
    </g>
  )
}

const explain = (step: NonNullable<Explained['why']>[number] | undefined) =>
  step === undefined
    ? ''
    : `, price impact ${step.impact_bps} bps, ${step.pricing === 'quoted' ? 'quoted on the chain' : 'priced locally'}`

function Nodes({ diagram }: { readonly diagram: Diagram }) {
  const { width } = diagram
  return (
    <g>
      {diagram.nodes.map(({ key, kind, name, x, y, thickness, length }) => (
        <g key={key}>
          <rect
            class={kind}
            x={x}
            y={y}
            width={thickness}
            height={length}
            style={{ y: `${y}px`, height: `${length}px` }}
          />
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
