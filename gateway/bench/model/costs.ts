/** What a gateway on PostgreSQL takes for one thing, in ms of a processor where nothing else is said. */
export type Costs = {
  /** Of a request that needs no search, beside its share of the trips to the database. */
  readonly requestMs: number
  /** Of each trip to the database: a gateway asks twice for each request, with others of the same moment. */
  readonly gatewayTripMs: number
  readonly databaseTripMs: number
  readonly databaseRequestMs: number
  /** Time, not work: until what was written lies on the disk. */
  readonly diskMs: number
  /** Of a question that is asked for the first time since a block; following the block is in it. */
  readonly searchMs: number
  /** Of who asks, where that is on the same machine. */
  readonly clientMs: number
}

/** One gateway at rest, `npm run -s bench:scale`: a row of its table. */
export type Measured = {
  readonly rps: number
  readonly gatewayMicros: number
  readonly databaseMicros: number
  readonly clientMicros: number
  /** Answered requests for each transaction of the database. */
  readonly perTrip: number
}

/**
 * The costs from one gateway alone: two loads at rest tell what belongs to a request and what to a trip that
 * requests share; one request at a time, what is no work; and blocks, what they add.
 */
export function readCosts({
  alone,
  few,
  many,
  moving,
}: {
  /** One connection, a few, and many, without blocks; then many with blocks. */
  readonly alone: Measured
  readonly few: Measured
  readonly many: Measured
  readonly moving: Measured & { readonly questions: number; readonly blockEveryMs: number }
}): Costs {
  const split = (micros: (row: Measured) => number) => {
    const [a, b] = [1 / few.perTrip, 1 / many.perTrip]
    const tripMs = Math.max(0, (micros(few) - micros(many)) / (a - b) / 1_000)
    return { tripMs, requestMs: micros(many) / 1_000 - tripMs * b }
  }
  const gateway = split((row) => row.gatewayMicros)
  const database = split((row) => row.databaseMicros)
  const workMs = (alone.gatewayMicros + alone.databaseMicros + alone.clientMicros) / 1_000
  const restMs = gateway.requestMs + gateway.tripMs / moving.perTrip
  const perBlock = (moving.rps * moving.blockEveryMs) / 1_000
  const movedMs = (moving.gatewayMicros / 1_000 - restMs) * perBlock
  return {
    requestMs: gateway.requestMs,
    gatewayTripMs: gateway.tripMs,
    databaseTripMs: database.tripMs,
    databaseRequestMs: database.requestMs,
    diskMs: Math.max(0, 1_000 / alone.rps - workMs),
    searchMs: movedMs / moving.questions,
    clientMs: many.clientMicros / 1_000,
  }
}
