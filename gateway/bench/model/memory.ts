/**
 * What bench:costs has measured to be alive of each, and BENCHMARKS.md of a pool: first of a gateway of the two
 * offline worlds that has been asked whatever can be asked.
 */
const askedMb = 100
const [poolKb, streamKb, callerKb, explainedKb] = [9.7, 27, 3.6, 2.2]
/** Of a route that may stand, for each token of its market. */
const routeTokenKb = 0.043
/** Kept by a gateway at most: of each chain, and of all. */
const [mostRoutes, mostExplained] = [1_024, 2_048]
/** What lay in the machine's memory for what was alive, in the first half hour of proof:soak of 28 November 2026. */
const residentPart = 2.35

/** What the gateways of the fleets hold, beside their chains. */
export const fleetHeld = { pools: 3_000, tokens: 1_000, streams: 1_000, callers: 10_000 } as const

export type Memory = { readonly aliveMb: number; readonly residentMb: number }

/**
 * Of a gateway whose lists are full. How much it is asked is not among what counts: what a quote takes goes with
 * it, and what is kept of the last ones is bounded.
 */
export function readMemory({
  chains,
  pools,
  tokens,
  streams,
  callers,
}: {
  readonly chains: number
  /** Of each chain. */
  readonly pools: number
  readonly tokens: number
  readonly streams: number
  /** Keys that were made and have asked of late. */
  readonly callers: number
}): Memory {
  const chainKb = pools * poolKb + mostRoutes * tokens * routeTokenKb
  const listsKb = streams * streamKb + callers * callerKb + mostExplained * explainedKb
  const aliveMb = askedMb + (chains * chainKb + listsKb) / 1_000
  return { aliveMb: Math.round(aliveMb), residentMb: Math.round(aliveMb * residentPart) }
}
