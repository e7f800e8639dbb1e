import type { StreamEvent } from '../../../client/streamQuotes.ts'
import type { Quote } from '../../../client/wire/meta.ts'

/** One source, as the stream has told of it. */
export type Lane = {
  readonly provider: string
  /** Since it was asked; undefined while it is silent. */
  readonly tookMs: number | undefined
  readonly attempts: number
  readonly quote: Quote | undefined
  /** Why there is none. */
  readonly reason: string | undefined
}

export type Race = {
  readonly lanes: readonly Lane[]
  /** Who led from when on, of late: a race with refreshes goes on for as long as it is looked at. */
  readonly leads: readonly { readonly atMs: number; readonly provider: string }[]
  /** How often all were asked anew. */
  readonly refreshes: number
  readonly keptAlive: number
  readonly end: { readonly elapsedMs: number; readonly reason: string | undefined } | undefined
}

const mostLeads = 50
const silent = { tookMs: undefined, attempts: 0, quote: undefined, reason: undefined }

export const startRace = (providers: readonly string[]): Race => ({
  lanes: providers.map((provider) => ({ ...silent, provider })),
  leads: [],
  refreshes: 0,
  keptAlive: 0,
  end: undefined,
})

/** What a quote is ranked by: what its dry run delivered, else what it promises, less its gas. */
export const worthOf = ({ simulation, amountOut, gasCost = '0' }: Quote): bigint =>
  BigInt(simulation.actualOutput ?? amountOut) - BigInt(gasCost)

/** The best of those whose dry run has not failed. */
export function leaderOf(lanes: readonly Lane[]): Quote | undefined {
  const running = lanes.flatMap(({ quote }) =>
    quote && quote.simulation.status !== 'reverted' ? [quote] : [],
  )
  return running.toSorted((one, other) => (worthOf(one) < worthOf(other) ? 1 : -1))[0]
}

const put = (lanes: readonly Lane[], lane: Lane): readonly Lane[] =>
  lanes.some(({ provider }) => provider === lane.provider)
    ? lanes.map((each) => (each.provider === lane.provider ? lane : each))
    : [...lanes, lane]

const toLane = (quote: Quote): Lane => ({
  provider: quote.provider,
  tookMs: quote.telemetry.elapsedMs,
  attempts: quote.telemetry.attempts,
  quote,
  reason: undefined,
})

function moveLanes(lanes: readonly Lane[], { event, data }: StreamEvent): readonly Lane[] {
  switch (event) {
    case 'initial': {
      const failed = data.responses.flatMap(({ provider, elapsedMs, attempts, reason }) =>
        reason === undefined
          ? []
          : [{ provider, tookMs: elapsedMs, attempts, reason, quote: undefined }],
      )
      return [...failed, ...data.quotes.map(toLane)].reduce(put, lanes)
    }
    case 'quote':
      return put(lanes, toLane(data.quote))
    case 'sim_update':
      return lanes.map((lane) =>
        lane.provider === data.provider && lane.quote
          ? { ...lane, quote: { ...lane.quote, simulation: data.simulation } }
          : lane,
      )
    case 'refresh':
      return lanes.map(({ provider }) => ({ ...silent, provider }))
    default:
      return lanes
  }
}

/** The race after an event that came so long after its start. */
export function runOn(race: Race, event: StreamEvent, atMs: number): Race {
  const lanes = moveLanes(race.lanes, event)
  const leader = leaderOf(lanes)?.provider
  const isNew = leader !== undefined && leader !== race.leads.at(-1)?.provider
  return {
    lanes,
    leads: isNew ? [...race.leads, { atMs, provider: leader }].slice(-mostLeads) : race.leads,
    refreshes: race.refreshes + (event.event === 'refresh' ? 1 : 0),
    keptAlive: race.keptAlive + (event.event === 'keep_alive' ? 1 : 0),
    end:
      event.event === 'done'
        ? { elapsedMs: event.data.elapsedMs, reason: event.data.reason }
        : race.end,
  }
}

/** How often each word was the reason of a failure: what stands before its colon. */
export function countFailures(lanes: readonly Lane[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { reason } of lanes) {
    const word = reason?.split(':')[0]
    if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)
}
