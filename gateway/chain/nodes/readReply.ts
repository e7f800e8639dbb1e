import type { Hex } from 'viem'
import { classifyRefusal } from './classifyRefusal.ts'
import type { Refusal, RefusalKind } from './refusal.ts'

export type RpcCall = {
  readonly method: string
  readonly params?: unknown
  /** Of the block that its parameters number: endpoints that take it are asked for that very block. */
  readonly blockHash?: Hex | undefined
}
export type RpcError = {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}
/** As nodes say it that have no words of their own. */
export const unknownBlock: RpcError = { code: -32001, message: 'block not found' }
export type RpcAnswer = { readonly result: unknown } | { readonly error: RpcError }

/** Why calls have no answer: what the node said, or what became of the request. */
export type Trouble = Omit<Refusal, 'kind'> & { readonly kind: RefusalKind | Fault }
type Fault =
  | 'timeout'
  | 'network'
  | 'http_status'
  | 'bad_answer'
  | 'other_chain'
  /** All connections were others' for too long: the node has not been asked. */
  | 'unsent'

export type Reply = {
  /** By call; undefined where the body has none for it. */
  readonly answers: readonly (RpcAnswer | undefined)[]
  /** What goes for the calls without an answer. */
  readonly trouble: Trouble
}

/** What came over the wire. */
export type RawReply = {
  readonly status: number
  readonly text: string
  readonly retryAfterMs: number | undefined
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Ids may come in any order; what is said under none of them is about all that have no answer. */
export function readReply(
  raw: RawReply,
  { count, redact }: { readonly count: number; readonly redact: (text: string) => string },
): Reply {
  const payload = parse(raw.text)
  const none: readonly undefined[] = Array.from({ length: count }, () => undefined)
  if (payload === undefined) return { answers: none, trouble: readText(raw) }
  const byId = new Map<number, RpcAnswer>()
  let trouble: Trouble | undefined
  for (const entry of Array.isArray(payload) ? payload : [payload]) {
    if (!isRecord(entry)) continue
    const answer = readEntry(entry, redact)
    const { id } = entry
    if (typeof id === 'number' && id < count && answer) byId.set(id, answer)
    else if (answer && 'error' in answer) trouble = readError(answer.error, raw)
  }
  const answers = none.map((_, id) => byId.get(id))
  return { answers, trouble: trouble ?? guessTrouble(raw, byId.size) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function readEntry(
  entry: Record<string, unknown>,
  redact: (text: string) => string,
): RpcAnswer | undefined {
  const { error } = entry
  if (typeof error === 'string') return { error: { code: -32603, message: redact(error) } }
  if (!isRecord(error)) return 'result' in entry ? { result: entry['result'] } : undefined
  const { code, message, data } = error
  return {
    error: {
      code: typeof code === 'number' ? code : -32603,
      message: redact(typeof message === 'string' ? message : 'no message'),
      data,
    },
  }
}

/** What an error of an answer means. */
export const readError = (
  { code, message }: RpcError,
  { status, retryAfterMs }: Partial<Omit<RawReply, 'text'>> = {},
): Trouble => classifyRefusal({ status, code, message, retryAfterMs })

/** A page, a line of text, half an answer. */
function readText({ status, text, retryAfterMs }: RawReply): Trouble {
  const said = classifyRefusal({ status, message: text.slice(0, 2_000), retryAfterMs })
  if (said.kind !== 'failed') return said
  return { kind: status >= 400 ? 'http_status' : 'bad_answer' }
}

/** Answers to some calls and not to others: the node had enough of them. */
function guessTrouble({ status, retryAfterMs }: RawReply, answered: number): Trouble {
  if (status >= 400) return classifyRefusal({ status, retryAfterMs })
  return { kind: answered > 0 ? 'unhealthy' : 'bad_answer' }
}
