import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { look, place } from '../state/place.ts'
import { client, sentenceOf } from '../state/session.ts'
import { Amount } from './amount.tsx'
import type { CurvePoint } from './drawCurve.ts'
import { Fold } from './fold.tsx'
import { Trouble, Wait } from './notes.tsx'
import type { Order } from './orderForm.tsx'
import { Table } from './table.tsx'

/** Hundredths of the amount that is sold. */
const sizes = [5, 10, 25, 50, 75, 100, 150, 200, 300, 500]

/** Output against size; asked for by a button, since every point costs two quotes. */
export function CurveOnDemand({ order }: { readonly order: Order }) {
  const isAsked = place.value.query.get('curve') === 'on'
  return (
    <section aria-label="Output against size">
      <h2>Output against size</h2>
      {isAsked ? (
        <Asked order={order} />
      ) : (
        <button type="button" onClick={() => look({ curve: 'on' })}>
          Draw the curve ({sizes.length * 2} quotes)
        </button>
      )}
    </section>
  )
}

function Asked({ order }: { readonly order: Order }) {
  const points = useSignal<readonly CurvePoint[] | undefined>(undefined)
  const failure = useSignal('')
  useEffect(() => {
    askCurve(order).then(
      (answer) => {
        points.value = answer
      },
      (error: unknown) => {
        failure.value = sentenceOf(error)
      },
    )
  }, [])
  if (failure.value !== '') return <Trouble>There is no curve: {failure.value}.</Trouble>
  if (!points.value) return <Wait>Asking for {sizes.length} sizes …</Wait>
  return <Curve points={points.value} order={order} />
}

async function askCurve({ request, amountIn }: Order): Promise<CurvePoint[]> {
  const { routing } = client.value ?? {}
  if (!routing) throw new Error('the gateway has not said where its services are')
  const amounts = sizes.map((size) => (amountIn * BigInt(size)) / 100n).filter((raw) => raw > 0n)
  const bare = { ...request, route_graph: false, alternatives: undefined }
  const all = amounts.map((raw) => ({ ...bare, amount_in: String(raw) }))
  const single = all.map((each) => ({ ...each, single_path: true }))
  const { quotes } = await routing.quotes({ quotes: [...all, ...single] })
  return amounts.map((raw, index) => {
    const best = quotes[index]?.quote
    const alone = quotes[index + amounts.length]?.quote
    const output = best && BigInt(best.output)
    const gap = best?.optimality_gap_bps
    const bound =
      output === undefined || gap === undefined
        ? undefined
        : (output * BigInt(Math.ceil((10_000 + gap) * 100))) / 1_000_000n
    return {
      size: raw,
      best: output,
      single: alone && BigInt(alone.output),
      bound,
    }
  })
}

function Curve({
  points,
  order,
}: {
  readonly points: readonly CurvePoint[]
  readonly order: Order
}) {
  const box = useRef<HTMLDivElement>(null)
  const failure = useSignal('')
  useEffect(() => {
    let end: (() => void) | undefined
    let isGone = false
    import('./drawCurve.ts').then(
      ({ drawCurve }) => {
        if (box.current && !isGone) end = drawCurve(box.current, points, order)
      },
      (error: unknown) => {
        failure.value = sentenceOf(error)
      },
    )
    return () => {
      isGone = true
      end?.()
    }
  }, [points, failure])
  const { tokenIn, tokenOut } = order
  const show = (raw: bigint | undefined, without: string) =>
    raw === undefined ? without : <Amount raw={raw} {...tokenOut} />
  return (
    <>
      {failure.value !== '' && <Trouble>The curve could not be drawn: {failure.value}</Trouble>}
      <p class="small">
        {tokenOut.symbol} for each {tokenIn.symbol}, by how much is sold at once.
      </p>
      <div ref={box} class="curve" aria-hidden="true" />
      <Fold name="curve-table" summary="The same as a table">
        <Table
          label="Table of sizes"
          head={['Sold', '#Best route', '#Best single path', '#No route can bring more']}
        >
          {points.map(({ size, best, single, bound }) => (
            <tr key={String(size)}>
              <th scope="row">
                <Amount raw={size} {...tokenIn} />
              </th>
              <td class="figure">{show(best, 'no route')}</td>
              <td class="figure">{show(single, 'no route')}</td>
              <td class="figure">{show(bound, 'unknown')}</td>
            </tr>
          ))}
        </Table>
      </Fold>
    </>
  )
}
