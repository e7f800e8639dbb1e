import type { Asked, Outcome } from './callQueue.ts'
import type { Endpoint } from './endpoint.ts'
import type { Verdict } from './judge.ts'
import { asksLogs } from './takesLong.ts'

const mostFaults = 4
/** A block that one node has told of is at the others a moment later, or some blocks later. */
const blockPauseMs = 150
const longestBlockPauseMs = 1_000
/** A block that was orphaned comes no more. */
const hashPatienceMs = 3_000
/** Where calls wait for a rate so long that the first answer comes after that, some others do not know it yet. */
const leastTimes = 4
/** Of failures in words that nobody knows. */
const mostUnanswered = 1

/** What a verdict on a call ends it with; undefined where it is to be asked again. */
export function settle(
  asked: Asked,
  verdict: Verdict,
  { from, endpoints }: { readonly from: Endpoint; readonly endpoints: readonly Endpoint[] },
): Outcome | undefined {
  if (verdict.next === 'done') return { status: 'answered', answer: verdict.answer }
  asked.reasons.push(verdict.trouble.kind)
  if (asked.isOfFirst)
    return verdict.next === 'elsewhere'
      ? { status: 'answered', answer: verdict.answer }
      : { status: 'unreachable', reasons: asked.reasons }
  const isAllAvoided = avoid(asked, from, endpoints.length)
  if (verdict.next === 'again') {
    asked.isApart ||= verdict.trouble.kind === 'answer_too_large' && asksLogs(asked.call)
    return undefined
  }
  if (verdict.next === 'fault') return settleFault(asked, { isAllAvoided, of: endpoints.length })
  if (!isAllAvoided || waitsForMore(asked, verdict.trouble.kind)) return undefined
  return { status: 'answered', answer: verdict.answer }
}

/** Leaves this endpoint to others; whether each had nothing to say, so that all may be asked anew. */
function avoid(asked: Asked, from: Endpoint, of: number): boolean {
  if (of > 1) asked.avoided.add(from)
  const isAllAvoided = asked.avoided.size >= of || of === 1
  if (isAllAvoided) asked.avoided.clear()
  return isAllAvoided
}

function settleFault(
  asked: Asked,
  { isAllAvoided, of }: { readonly isAllAvoided: boolean; readonly of: number },
): Outcome | undefined {
  asked.faults += 1
  // Whoever waited through a time-out of each hears of it instead of waiting through another one.
  const isLate = isAllAvoided && performance.now() - asked.sinceMs > asked.patienceMs
  if (asked.faults < Math.max(mostFaults, of) && !isLate) return undefined
  return { status: 'unreachable', reasons: asked.reasons }
}

/** Whether an answer may still come where nobody has one, and from when on it is asked for. */
function waitsForMore(asked: Asked, kind: string): boolean {
  const nowMs = performance.now()
  const pauseMs = Math.min(blockPauseMs * 1.5 ** asked.unanswered, longestBlockPauseMs)
  const mayCome =
    kind === 'block_unknown'
      ? isWaitedFor(asked, nowMs + pauseMs)
      : kind === 'failed' && asked.unanswered < mostUnanswered
  if (!mayCome) return false
  asked.unanswered += 1
  if (kind === 'block_unknown') asked.notBeforeMs = nowMs + pauseMs
  return true
}

function isWaitedFor(asked: Asked, untilMs: number): boolean {
  const isPatient = asked.blockPatienceMs > hashPatienceMs
  if (isPatient && asked.unanswered < leastTimes) return true
  return untilMs - asked.sinceMs <= blockPatienceOf(asked)
}

function blockPatienceOf({ call, blockPatienceMs }: Asked): number {
  const isByHash = JSON.stringify(call).includes('"blockHash"')
  return isByHash ? Math.min(blockPatienceMs, hashPatienceMs) : blockPatienceMs
}
