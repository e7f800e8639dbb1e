import { askByNumber, isResult, mayRefuseHash } from './askByNumber.ts'
import { readBatchWords } from './batchWords.ts'
import { nameByNumber } from './blockHashes.ts'
import { dropUnfit } from './fitsCall.ts'
import { type Asking, createLimits, type LearnedLimits, type Load } from './limits.ts'
import { mayMeanRange, spanOf, tooWide } from './logSpan.ts'
import { type Reply, type RpcAnswer, type RpcCall, readError, type Trouble } from './readReply.ts'
import { createShownChain } from './shownChain.ts'
import { asksLogs, takesLong } from './takesLong.ts'
import { createToldBlocks } from './toldBlocks.ts'
import { createUpstream, encodeCalls, type Upstream } from './upstream.ts'

/** One URL of a chain: what it takes, and whether it is to be left alone just now. */
export type Endpoint = {
  /** A secret: it may hold a key. */
  readonly url: string
  readonly limits: LearnedLimits
  /** Until it may be asked again. */
  waitMs(): number
  /** It is up and has had too many calls: waiting helps. */
  isBusy(): boolean
  /** `isOfFirst`: what becomes of these says nothing of what else it is asked. */
  send(calls: readonly RpcCall[], asking?: { readonly isOfFirst?: boolean }): Promise<Reply>
  /** What it serves instead of the expected chain, as long as it does. */
  otherChain(): number | undefined
  close(): void
}

export type EndpointParameters = {
  /** Where given, it has to say that it serves this chain before it is asked anything else, and now and then. */
  readonly chainId?: number | undefined
  readonly url: string
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly random?: (() => number) | undefined
  readonly now?: (() => number) | undefined
  /** In a lab: may answer otherwise than the node does. */
  readonly alterSend?: ((send: Upstream['send']) => Upstream['send']) | undefined
}

const firstBackoffMs = 100
const longestRestMs = 10_000
/** Nobody is there: to ask costs either side next to nothing, and whoever comes back is followed at once. */
const longestAwayMs = 2_000
/** What was paid for is used up, or whoever asks is not let in: it is asked again now and then. */
const quotaRestMs = 60_000
const needsSomebody: ReadonlySet<Trouble['kind']> = new Set(['quota_gone', 'unauthorized'])
const leastJitter = 0.5
/** Nodes of one URL lack blocks that others have told of, now and then. */
const unknownBlockMs = 5_000
/** These say what a request may hold, and nothing against the next one. */
const sizes: ReadonlySet<Trouble['kind']> = new Set([
  'batch_too_large',
  'body_too_large',
  'answer_too_large',
  'gas_cap',
  'range_too_wide',
  'too_many_results',
])
/** What a smaller request may get through. */
const heavy: ReadonlySet<Trouble['kind']> = new Set(['timeout', 'call_timeout', 'answer_too_large'])

/** `gas` of an `eth_call`'s transaction; the node's own cap where it names none. */
export function gasOf({ method, params }: RpcCall): number {
  if (method !== 'eth_call' || !Array.isArray(params)) return 0
  const gas = Number((params[0] as { gas?: unknown } | undefined)?.gas)
  return Number.isSafeInteger(gas) ? gas : 0
}

function withGas(call: RpcCall, most: number | undefined): RpcCall {
  if (most === undefined || gasOf(call) <= most) return call
  const [transaction, ...rest] = call.params as readonly object[]
  return { ...call, params: [{ ...transaction, gas: `0x${most.toString(16)}` }, ...rest] }
}

export function createEndpoint({
  chainId,
  timeoutMs,
  random = Math.random,
  now = () => performance.now(),
  alterSend = (send) => send,
  ...address
}: EndpointParameters): Endpoint {
  const upstream = createUpstream(address)
  const ask = alterSend(upstream.send)
  const send = async (calls: readonly RpcCall[]) =>
    readBatchWords(calls.length, dropUnfit(calls, await ask(calls, { timeoutMs })))
  const limits = createLimits({ now })
  const shown = createShownChain({ chainId, now, send })
  const told = createToldBlocks()
  let restingUntilMs = 0
  let restedAtMs = 0
  /** When the last of the failures in a row was told. */
  let countedAtMs = 0
  let failuresInARow = 0
  /** The newest request that was answered went out then. */
  let answeredOfMs = Number.NEGATIVE_INFINITY
  let isBusy = false

  function rest({ kind, retryAfterMs }: Trouble, sentAtMs: number): void {
    if (kind === 'unsent') return
    // What was under way when one failed fails with it, and is one failure; what was sent after it is another.
    if (sentAtMs > countedAtMs || failuresInARow === 0) {
      failuresInARow += 1
      countedAtMs = now()
    }
    const mostMs = kind === 'network' ? longestAwayMs : longestRestMs
    const backoffMs = Math.min(firstBackoffMs * 2 ** (failuresInARow - 1), mostMs)
    // Spread, so that those who were refused together do not come back together.
    const spreadMs = backoffMs * (leastJitter + (1 - leastJitter) * random())
    const askedMs = needsSomebody.has(kind) ? quotaRestMs : 0
    restedAtMs = now()
    // Who names no time worth the name is not asked without one.
    restingUntilMs = restedAtMs + Math.max(retryAfterMs ?? 0, spreadMs, askedMs)
    isBusy = kind === 'rate_limited'
    // Whoever has too many calls is who it was.
    if (!isBusy) shown.doubt()
  }

  /** Undefined where it is the chain that is expected. */
  async function showAnother(
    calls: readonly RpcCall[],
    sentAtMs: number,
  ): Promise<Reply | undefined> {
    const trouble = shown.isShown() ? undefined : await shown.ask()
    if (!trouble) return undefined
    rest(trouble, sentAtMs)
    return { answers: calls.map(() => undefined), trouble }
  }

  /** A proxy that has no node for anybody does not tell its head. */
  async function isUp(): Promise<boolean> {
    limits.pay(1)
    const { answers } = await send([{ method: 'eth_blockNumber', params: [] }])
    return isResult(answers[0])
  }

  async function doubtHashes(calls: readonly RpcCall[], reply: Reply): Promise<Reply> {
    const answerTo = (call: RpcCall) => reply.answers[calls.indexOf(call)]
    const pinned = calls.filter(({ blockHash }) => blockHash !== undefined)
    if (pinned.some((call) => isResult(answerTo(call)))) limits.tookHash()
    const doubted = pinned.filter((call) => mayRefuseHash(answerTo(call), reply.trouble))
    if (doubted.length === 0) return reply
    const again = await askByNumber((some) => {
      limits.pay(some.length)
      return send(some)
    }, doubted)
    if (again.isHashRefused) limits.refusedHash()
    const answers = calls.map((call) =>
      doubted.includes(call) ? again.answers[doubted.indexOf(call)] : answerTo(call),
    )
    return { answers, trouble: again.answers.includes(undefined) ? again.trouble : reply.trouble }
  }

  function learn(calls: readonly RpcCall[], reply: Reply, sentAtMs: number): void {
    const taken = reply.answers.filter((answer) => answer && !isBusyAnswer(answer)).length
    if (taken > 0) {
      limits.took(taken, askingOf(calls))
      answeredOfMs = Math.max(answeredOfMs, sentAtMs)
    }
    const troubles = [
      ...(reply.answers.includes(undefined) ? [reply.trouble] : []),
      ...reply.answers.flatMap((answer) => readRefusal(answer) ?? []),
    ]
    const worst = troubles.find(({ kind }) => kind === 'rate_limited') ?? troubles[0]
    // What makes logs too long is theirs: they are asked for one by one.
    const isOfLogs = worst?.kind === 'answer_too_large' && askingOf(calls) === 'logs'
    if (worst && !isOfLogs && (isAbout(worst) || heavy.has(worst.kind)))
      limits.refused(worst, loadOf(calls))
    for (const [index, call] of calls.entries()) {
      const answer = reply.answers[index]
      const refusal = answer ? readRefusal(answer) : reply.trouble
      if (refusal?.kind === 'range_too_wide' && call.method === 'eth_getLogs')
        limits.refused(refusal, { ...loadOf([call]), blocks: spanOf(call) })
    }
    const isWhole = taken === 0 && reply.answers.includes(undefined)
    // Whoever answers what was asked after it is well.
    const isLate = worst?.kind === 'timeout' && answeredOfMs > sentAtMs
    const isItsOwn = isLate || (worst && (sizes.has(worst.kind) || isLateAlone(worst, calls)))
    if (worst && (worst.kind === 'rate_limited' || (isWhole && !isItsOwn))) rest(worst, sentAtMs)
    else if (sentAtMs > restedAtMs) {
      failuresInARow = 0
      restingUntilMs = 0
      isBusy = false
    }
  }

  return {
    url: address.url,
    limits,
    waitMs: () => Math.max(restingUntilMs - now(), limits.waitMs()),
    isBusy: () => isBusy || restingUntilMs <= now(),
    async send(calls, { isOfFirst = false } = {}) {
      limits.pay(calls.length)
      const sentAtMs = now()
      if (!shown.isShown()) {
        const another = await showAnother(calls, sentAtMs)
        if (another) return another
      }
      const { callGas, namesByNumber } = limits.read()
      const named = namesByNumber ? calls.map(nameByNumber) : calls
      const capped = named.map((call) => withGas(call, callGas))
      const said = await doubtHashes(capped, await send(capped))
      const isOfRange = mayMeanRange(capped, said.answers) && (await isUp())
      const reply = isOfRange ? { ...said, answers: [{ error: tooWide() }] } : said
      if (!isOfFirst) learn(capped, reply, sentAtMs)
      if (!told.fits(capped, reply)) {
        shown.doubt()
        return (await showAnother(calls, now())) ?? reply
      }
      if (reply.answers.some(isOfUnknownBlock)) shown.doubt(unknownBlockMs)
      return reply
    },
    otherChain: shown.other,
    close: () => void upstream.close(),
  }
}

/** Others ask meanwhile. */
const isLateAlone = ({ kind }: Trouble, [call, ...others]: readonly RpcCall[]) =>
  kind === 'timeout' && others.length === 0 && call !== undefined && takesLong(call)

/** What is said of one question for logs, however many others stand beside it. */
const ofOneQuestion: ReadonlySet<Trouble['kind']> = new Set(['range_too_wide', 'too_many_results'])
const isAbout = ({ kind }: Trouble) =>
  kind === 'rate_limited' || (sizes.has(kind) && !ofOneQuestion.has(kind))

const isBusyAnswer = (answer: RpcAnswer) => readRefusal(answer)?.kind === 'rate_limited'

const isOfUnknownBlock = (answer: RpcAnswer | undefined) =>
  readRefusal(answer)?.kind === 'block_unknown'

const readRefusal = (answer: RpcAnswer | undefined) =>
  answer && 'error' in answer ? readError(answer.error) : undefined

const askingOf = (calls: readonly RpcCall[]): Asking => (calls.every(asksLogs) ? 'logs' : 'others')

const loadOf = (calls: readonly RpcCall[]): Load => ({
  asking: askingOf(calls),
  calls: calls.length,
  bytes: encodeCalls(calls).length,
  gas: Math.max(...calls.map(gasOf)),
})
