import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { StreamRequest } from '../../../client/wire/meta.ts'
import { Amount } from '../parts/amount.tsx'
import { Empty, Trouble, Wait } from '../parts/notes.tsx'
import { type Order, OrderPage } from '../parts/orderForm.tsx'
import { TextField, TickField } from '../parts/queryForm.tsx'
import { Table } from '../parts/table.tsx'
import { place } from '../state/place.ts'
import { countFailures, type Lane, leaderOf, type Race, runOn, startRace } from '../state/race.ts'
import { client, sentenceOf } from '../state/session.ts'

const keepAliveMs = 5_000

/** All sources asked at once: who answers when, who leads, and who fails why. */
export function RacePage() {
  return (
    <OrderPage
      submit="Race"
      promise="every source is asked for it at once, and its answer stands here when it comes."
      fields={<Options />}
    >
      {(order) => <Run order={order} />}
    </OrderPage>
  )
}

function Options() {
  return (
    <>
      <TextField name="first" label="Wait for so many" inputMode="numeric" placeholder="1" />
      <TextField name="every" label="Again every s" inputMode="numeric" placeholder="never" />
      <TickField name="dry" label="Dry run" />
    </>
  )
}

/** A number of the address, in bounds that the service says where they are not kept. */
function readNumber(name: string): number | undefined {
  const text = place.value.query.get(name)
  return text === null ? undefined : Number(text)
}

function toRequest({ chainId, tokenIn, tokenOut, amountIn }: Order, taker: `0x${string}`) {
  const every = readNumber('every')
  return {
    chainId,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amountIn: String(amountIn),
    taker,
    dryRun: place.value.query.has('dry'),
    firstN: readNumber('first'),
    ...(every !== undefined && { refreshIntervalMs: every * 1_000, keepAliveMs }),
  } satisfies StreamRequest
}

function Run({ order }: { readonly order: Order }) {
  const race = useSignal<Race | undefined>(undefined)
  const failure = useSignal('')
  const round = useSignal(0)
  const { taker, chainId } = order
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    async function run() {
      const { meta } = client.value ?? {}
      if (!meta || taker === undefined) return
      try {
        const { sources } = await meta.sources({ signal })
        const asked = sources.filter(({ chainIds }) => chainIds.includes(chainId))
        race.value = startRace(asked.map(({ name }) => name))
        const startedMs = performance.now()
        for await (const event of meta.stream(toRequest(order, taker), { signal }))
          if (race.value) race.value = runOn(race.value, event, performance.now() - startedMs)
      } catch (error) {
        if (!signal.aborted) failure.value = sentenceOf(error)
      }
    }
    race.value = undefined
    failure.value = ''
    void run()
    return () => leaving.abort()
  }, [round.value])
  if (taker === undefined)
    return <Empty>Name the wallet that would swap: sources ask for it.</Empty>
  return (
    <>
      {failure.value !== '' && <Trouble>The race is over: {failure.value}.</Trouble>}
      {race.value && <Outcome race={race.value} order={order} />}
      {!race.value && failure.value === '' && <Wait>Asking who takes part …</Wait>}
      <button
        type="button"
        onClick={() => {
          round.value += 1
        }}
      >
        Race again
      </button>
    </>
  )
}

function Outcome({ race, order }: { readonly race: Race; readonly order: Order }) {
  const { lanes, end, refreshes, keptAlive } = race
  const slowest = Math.max(1, ...lanes.map(({ tookMs }) => tookMs ?? 0))
  const leader = leaderOf(lanes)?.provider
  const here = lanes.filter(({ tookMs }) => tookMs !== undefined).length
  return (
    <section aria-label="Race">
      <p role="status" class={end ? '' : 'wait'}>
        {end ? `Over after ${end.elapsedMs} ms` : 'Running'}: {here} of {lanes.length} sources have
        answered
        {end?.reason !== undefined && `; it ended early: ${end.reason}`}
        {refreshes > 0 && `; all were asked anew ${refreshes} times`}
        {keptAlive > 0 && `; ${keptAlive} signs of life`}.
      </p>
      <Table
        label="Lanes"
        head={['Source', 'Answered after', '#Tries', '#Offers', '#Less gas', 'Dry run']}
      >
        {lanes.map((lane) => (
          <LaneRow
            key={lane.provider}
            {...{ lane, order, slowest, isLeader: lane.provider === leader }}
          />
        ))}
      </Table>
      <Leads race={race} />
      <Failures lanes={lanes} />
    </section>
  )
}

function LaneRow({
  lane: { provider, tookMs, attempts, quote, reason },
  order,
  slowest,
  isLeader,
}: {
  readonly lane: Lane
  readonly order: Order
  readonly slowest: number
  readonly isLeader: boolean
}) {
  const { decimals, symbol } = order.tokenOut
  return (
    <tr class={isLeader ? 'best' : ''}>
      <th scope="row">
        {provider}
        {isLeader && ' leads'}
      </th>
      <td class="lane">
        {tookMs === undefined ? (
          <span class="took">silent</span>
        ) : (
          <>
            <span class="took">{tookMs} ms</span>
            <span class="bar" style={{ width: `${(tookMs / slowest) * 8}rem` }} />
          </>
        )}
      </td>
      <td class="figure">{attempts}</td>
      {quote ? (
        <>
          <td class="figure">
            <Amount raw={quote.amountOut} decimals={decimals} symbol={symbol} />
          </td>
          <td class="figure">
            {quote.netAmountOut === undefined ? (
              'no price of gas'
            ) : (
              <Amount raw={quote.netAmountOut} decimals={decimals} symbol={symbol} />
            )}
          </td>
          <td>
            {quote.simulation.status}
            {quote.simulation.error !== undefined && `: ${quote.simulation.error}`}
          </td>
        </>
      ) : (
        <td colSpan={3} class={reason === undefined ? 'small' : 'bad'}>
          {reason ?? 'no quote'}
        </td>
      )}
    </tr>
  )
}

function Leads({ race: { leads } }: { readonly race: Race }) {
  if (leads.length === 0) return null
  return (
    <>
      <h2>Who led</h2>
      <ol>
        {leads.map(({ atMs, provider }) => (
          <li key={atMs}>
            <span class="figure">{Math.round(atMs)} ms</span> {provider}
          </li>
        ))}
      </ol>
    </>
  )
}

function Failures({ lanes }: { readonly lanes: readonly Lane[] }) {
  const failures = countFailures(lanes)
  if (failures.length === 0) return null
  return (
    <p>
      Failures by word: {failures.map(([word, count]) => `${word} ${count}`).join(', ')}. Faults of
      sources can be armed in a lab.
    </p>
  )
}
