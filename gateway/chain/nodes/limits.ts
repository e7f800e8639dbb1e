import type { Trouble } from './readReply.ts'
import { createSizeLimit, type SizeLimit } from './sizeLimit.ts'
import { createSoftBatch } from './softBatch.ts'

/** What an endpoint takes, as far as its refusals have told; undefined: nothing was refused yet. */
export type NodeLimits = {
  readonly batchCalls?: number | undefined
  readonly bodyBytes?: number | undefined
  /** Of one `eth_call`. */
  readonly callGas?: number | undefined
  /** Blocks of one `eth_getLogs`. */
  readonly logBlocks?: number | undefined
  readonly callsPerSecond?: number | undefined
  /** 1: the rate was refused since it was guessed, and is not looked for in steps any more. */
  readonly rateFound?: number | undefined
  /** 1: of a call it takes the number of a block, and not its hash. */
  readonly namesByNumber?: number | undefined
  /** Those of the sizes that the node has not named. */
  readonly guessed?: readonly SizeName[] | undefined
}

export const sizeNames = ['batchCalls', 'bodyBytes', 'callGas', 'logBlocks'] as const
export type SizeName = (typeof sizeNames)[number]

/** What a request asks for; questions for logs travel by themselves. */
export type Asking = 'logs' | 'others'

/** What a request was, that was taken or refused. */
export type Load = {
  readonly asking?: Asking | undefined
  readonly calls: number
  readonly bytes: number
  readonly gas: number
  /** That a request for logs spans, where it says so. */
  readonly blocks?: number | undefined
}

export type LearnedLimits = {
  read(): NodeLimits
  /** Calls that a request may hold now. */
  batchCalls(asking?: Asking): number
  /** Until the rate lets a request go. */
  waitMs(): number
  /** A request goes out. */
  pay(calls: number): void
  took(calls: number, asking?: Asking): void
  refused(trouble: Trouble, load: Load): void
  /** A call that named its block by its hash was answered. */
  tookHash(): void
  /** One was not, and was answered when it named the number. */
  refusedHash(): void
  /** What an earlier run has learned; what this one knows already is not raised. */
  recall(earlier: NodeLimits): void
}

const mostBatchCalls = 64
/** Their answers are long. */
const mostLogCalls = 8
/** Fewer are refused for what one of them is. */
const leastHalf = 4
/** Some count a batch as one call more than it holds (Infura): fewer are asked one by one, in as many requests a second. */
const fewestTogether = 4
/** No endpoint that is known allows fewer; what was measured while hardly anything was asked says little. */
const slowestGuess = 8
const slowest = 0.5
const windowMs = 1_000
/** Beyond the widest that anybody is known to allow nothing is left of a guess. */
const bounds: Readonly<Record<SizeName, { readonly least: number; readonly most: number }>> = {
  batchCalls: { least: 1, most: mostBatchCalls },
  bodyBytes: { least: 32 * 1024, most: 16 * 1024 * 1024 },
  callGas: { least: 1_000_000, most: 1_000_000_000 },
  logBlocks: { least: 1, most: 1_000_000 },
}
/** A node may fail between the two by itself. */
const mostHashesRefused = 2
/** Refusals closer together than this are one. */
const oneEventMs = 500
const oftenMs = 5_000
/** Whoever is shut out for so long does not try what the limit is. */
const longPauseMs = 10_000
const carefulGuess = 10

/**
 * Learns by refusals: what was refused is cut down at once, by what the node names or by half, and what
 * was not named grows again slowly.
 */
export function createLimits({ now }: { readonly now: () => number }): LearnedLimits {
  const sizes = Object.fromEntries(
    sizeNames.map((name) => [name, createSizeLimit({ now, ...bounds[name] })]),
  ) as Record<SizeName, SizeLimit>
  let namesByNumber: number | undefined
  const pace = createPace({ now })
  /** What few long answers were refused for says nothing of many short ones. */
  const soft = {
    logs: createSoftBatch({ now, most: mostLogCalls }),
    others: createSoftBatch({ now, most: mostBatchCalls }),
  }
  let hashesRefused = 0
  const hardBatch = () => sizes.batchCalls.read() ?? mostBatchCalls

  return {
    read: () => ({
      batchCalls: sizes.batchCalls.read(),
      bodyBytes: sizes.bodyBytes.read(),
      callGas: sizes.callGas.read(),
      logBlocks: sizes.logBlocks.read(),
      callsPerSecond: pace.perSecond(),
      rateFound: pace.isFound() ? 1 : undefined,
      namesByNumber,
      guessed: sizeNames.filter((name) => sizes[name].isGuess()),
    }),
    recall({ guessed = [], ...earlier }) {
      for (const name of sizeNames) {
        const size = earlier[name]
        if (size !== undefined)
          sizes[name].recall(size, guessed.includes(name) ? 'guessed' : 'named')
      }
      namesByNumber ??= earlier.namesByNumber
      pace.recall(earlier)
    },
    batchCalls(asking = 'others') {
      // Half a second's worth: what is refused then is not much.
      const paced = (pace.perSecond() ?? Number.POSITIVE_INFINITY) / 2
      if (paced < fewestTogether) return 1
      return Math.floor(Math.max(1, Math.min(hardBatch(), soft[asking].read(), paced)))
    },
    waitMs: pace.waitMs,
    pay: pace.pay,
    tookHash() {
      hashesRefused = 0
    },
    refusedHash() {
      hashesRefused += 1
      if (hashesRefused >= mostHashesRefused) namesByNumber = 1
    },
    took(calls, asking = 'others') {
      pace.took(calls)
      soft[asking].took(calls, pace.isCalm())
    },
    refused({ kind, limit: named, retryAfterMs = 0 }, load) {
      const { asking = 'others', calls, bytes, gas, blocks = Number.POSITIVE_INFINITY } = load
      const half = Math.max(1, calls >> 1)
      // What is too large by itself says nothing of batches.
      const isBatch = calls > 1
      if (kind === 'batch_too_large') sizes.batchCalls.refused({ size: calls, named })
      else if (kind === 'body_too_large') {
        sizes.bodyBytes.refused({ size: bytes, named })
        // Of bodies no smaller limit is learned: this one may hold fewer calls.
        if (isBatch && bytes <= bounds.bodyBytes.least) sizes.batchCalls.refused({ size: calls })
      } else if (kind === 'answer_too_large' && isBatch && half < leastHalf)
        sizes.batchCalls.refused({ size: calls })
      else if (kind === 'gas_cap') sizes.callGas.refused({ size: gas, named })
      else if (kind === 'range_too_wide') sizes.logBlocks.refused({ size: blocks, named })
      else if (kind === 'rate_limited') {
        soft[asking].refused(half)
        pace.refused(retryAfterMs)
      } else soft[asking].refused(half)
    },
  }
}

/** Calls per second: without a bound until one is refused, then as many as are taken. */
function createPace({ now }: { readonly now: () => number }) {
  let perSecond: number | undefined
  /** It is what a moment happened to take, which may be far less than the rate. */
  let isGuess = false
  let longAgoMs = 60_000
  /** At this rate it was refused. */
  let ceiling = Number.POSITIVE_INFINITY
  let paidAtMs = Number.NEGATIVE_INFINITY
  let refusedAtMs = Number.NEGATIVE_INFINITY
  let grownAtMs = now()
  let takenSinceRefusal = 0
  let countedFromMs = Number.NEGATIVE_INFINITY
  let recent: { readonly atMs: number; readonly calls: number }[] = []

  const forgetOld = () => {
    recent = recent.filter(({ atMs }) => atMs > now() - windowMs)
  }

  const isCalm = () => now() - refusedAtMs > oftenMs

  /** In a second since the last refusal, which has left nothing either; 0 where that is too short ago to tell. */
  function lately(): number {
    const ms = now() - countedFromMs
    return ms < windowMs ? 0 : (takenSinceRefusal * 1_000) / ms
  }
  function noteRefusal(): void {
    takenSinceRefusal = 0
    refusedAtMs = now()
    countedFromMs = refusedAtMs
  }

  return {
    isCalm,
    perSecond: () => perSecond,
    isFound: () => perSecond !== undefined && !isGuess,
    recall({ callsPerSecond, rateFound }: NodeLimits) {
      if (perSecond !== undefined || callsPerSecond === undefined) return
      perSecond = callsPerSecond
      isGuess = rateFound === undefined
    },
    waitMs: () => (perSecond === undefined ? 0 : Math.max(0, paidAtMs - now())),
    pay(calls: number) {
      if (perSecond === undefined) return
      // What was not used lately may be used at once, up to half a second's worth.
      const from = Math.max(paidAtMs, now() - windowMs / 2)
      paidAtMs = from + (calls / perSecond) * 1_000
    },
    took(calls: number) {
      takenSinceRefusal += calls
      recent.push({ atMs: now(), calls })
      if (recent.length > 200) forgetOld()
      const isBinding = perSecond !== undefined && paidAtMs > now() - windowMs / 2
      const [calmMs, growth] = isGuess ? [windowMs, 1.1] : [oftenMs, 1.05]
      const isEarly = now() - Math.max(refusedAtMs, grownAtMs) < calmMs
      if (perSecond === undefined || !isBinding || isEarly) return
      const isLongAgo = now() - refusedAtMs > longAgoMs
      // What was refused a moment ago is still refused.
      if (!isLongAgo && perSecond * growth > ceiling * 0.95) return
      grownAtMs = now()
      perSecond *= growth
      if (isLongAgo) refusedAtMs += longAgoMs / 4
    },
    refused(pauseMs: number) {
      longAgoMs = Math.max(longAgoMs, 15 * pauseMs)
      // Nothing was taken since the last time: the door is shut, and that says nothing of the rate.
      if (takenSinceRefusal === 0 || now() - refusedAtMs < oneEventMs) return
      if (pauseMs >= longPauseMs) {
        // Each attempt to find the rate costs the pause: well below it is the place to be.
        ceiling = perSecond ?? ceiling
        perSecond = Math.max(slowest, (perSecond ?? carefulGuess * 2) / 2)
        isGuess = false
        noteRefusal()
        return
      }
      forgetOld()
      const measured = recent.reduce((sum, { calls }) => sum + calls, 0)
      const isOften = !isCalm()
      // A single one may be somebody else's doing.
      if (perSecond === undefined && isOften) {
        perSecond = Math.max(slowestGuess, measured)
        isGuess = true
      } else if (perSecond !== undefined) {
        ceiling = perSecond
        const cut = Math.max(perSecond * (isOften ? 0.75 : 0.9), lately() * 0.95)
        perSecond = Math.max(slowest, Math.min(cut, perSecond * 0.95))
        isGuess = false
      }
      noteRefusal()
    },
  }
}
