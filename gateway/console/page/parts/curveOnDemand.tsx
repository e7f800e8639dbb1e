import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { toExact } from '../state/amounts.ts'
import { client, sentenceOf } from '../state/session.ts'
import type { CurvePoint } from './drawCurve.ts'
import { Trouble, Wait } from './notes.tsx'
import type { Order } from './orderForm.tsx'

/** Hundredths of the amount that is sold. */
const sizes = [5, 10, 25, 50, 75, 100, 150, 200, 300, 500]

/** Output against size; asked for by a button, since every point costs two quotes. */
export function CurveOnDemand({ order }: { readonly order: Order }) {
  const state = useSignal<readonly CurvePoint[] | 'asking' | undefined>(undefined)
  const failure = useSignal('')
  async function ask() {
    state.value = 'asking'
    failure.value = ''
    try {
      state.value = await askCurve(order)
    } catch (error) {
      state.value = undefined
      failure.value = sentenceOf(error)
    }
  }
  return (
    <section aria-label="Output against size">
      <h2>Output against size</h2>
      {state.value === undefined && (
        <button type="button" onClick={ask}>
          Draw the curve ({sizes.length * 2} quotes)
        </button>
      )}
      {state.value === 'asking' && <Wait>Asking for {sizes.length} sizes …</Wait>}
      {failure.value !== '' && <Trouble>There is no curve: {failure.value}</Trouble>}
      {Array.isArray(state.value) && <Curve points={state.value} order={order} />}
    </section>
  )
}

async function askCurve({ request, amountIn, tokenIn, tokenOut }: Order): Promise<CurvePoint[]> {
  const { routing } = client.value ?? {}
  if (!routing) throw new Error('the gateway has not said where its services are')
  const amounts = sizes.map((size) => (amountIn * BigInt(size)) / 100n).filter((raw) => raw > 0n)
  const bare = { ...request, route_graph: false, alternatives: undefined }
  const all = amounts.map((raw) => ({ ...bare, amount_in: String(raw) }))
  const single = all.map((each) => ({ ...each, max_steps: 1 }))
  const { quotes } = await routing.quotes({ quotes: [...all, ...single] })
  const toNumber = (raw: bigint | undefined) =>
    raw === undefined ? null : Number(toExact(raw, tokenOut.decimals))
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
      size: Number(toExact(raw, tokenIn.decimals)),
      best: toNumber(output),
      single: toNumber(alone && BigInt(alone.output)),
      bound: toNumber(bound),
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
        if (box.current && !isGone) end = drawCurve(box.current, points)
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
  const show = (value: number | null) => value ?? 'no route'
  return (
    <>
      {failure.value !== '' && <Trouble>The curve could not be drawn: {failure.value}</Trouble>}
      <div ref={box} class="curve" aria-hidden="true" />
      <details>
        <summary>The same as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Sold, {order.tokenIn.symbol}</th>
              <th scope="col">Best route, {order.tokenOut.symbol}</th>
              <th scope="col">Best single pool</th>
              <th scope="col">No route can bring more</th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ size, best, single, bound }) => (
              <tr key={size}>
                <th scope="row">{size}</th>
                <td class="figure">{show(best)}</td>
                <td class="figure">{show(single)}</td>
                <td class="figure">{bound ?? 'unknown'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}
