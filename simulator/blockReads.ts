import { isHex } from 'viem'
import { joinCalls } from './joinCalls.ts'
import type { RpcCall, RpcOutcome } from './rpc/rpcBatch.ts'
import { type BlockId, toTag, type Upstream, type UpstreamPurpose } from './upstream.ts'

/**
 * What is known of the state as of the newest blocks. Each read of a block goes to the chain once,
 * however many forks stand on it, one after the other or at the same time.
 */
export type BlockReads = {
  /** Makes room for a block; what is known of it stays, unless it was another block of that number. */
  readonly open: (block: BlockId) => void
  /** In the order of the calls; reads of blocks that are not open are passed on. */
  readonly answer: (
    calls: readonly RpcCall[],
    options: { readonly isKept: boolean; readonly purpose?: UpstreamPurpose | undefined },
  ) => Promise<readonly RpcOutcome[]>
}

type Known = {
  readonly blockHash: string
  readonly outcomes: Map<string, RpcOutcome | Promise<RpcOutcome>>
}

const blocksKept = 2
/** Some ten megabytes a block; what comes later is asked for each time. */
const maxReads = 50_000
const methodNotFound = -32601

/** anvil tries it on each fork anew, although not every chain offers it. */
const shortAccountRead = 'eth_getAccountInfo'
const partOf: ReadonlyMap<string, string> = new Map([
  ['eth_getBalance', 'balance'],
  ['eth_getTransactionCount', 'nonce'],
  ['eth_getCode', 'code'],
])
const longAccountReads = [...partOf.keys()]
export const accountReads: readonly string[] = [shortAccountRead, ...longAccountReads]
const stateReads: readonly string[] = [...accountReads, 'eth_getStorageAt']
export const isStateRead = ({ method }: RpcCall) => stateReads.includes(method)

export function createBlockReads({
  upstream,
}: {
  readonly upstream: Pick<Upstream, 'send'>
}): BlockReads {
  const blocks = new Map<string, Known>()
  const sendTogether = joinCalls((calls) => upstream.send(calls))
  let refusal: RpcOutcome | undefined

  function find(call: RpcCall): RpcOutcome | Promise<RpcOutcome> | undefined {
    if (refusal && call.method === shortAccountRead) return refusal
    const known = knownOf(call)?.outcomes
    return known && (known.get(keyOf(call)) ?? derive(known, call))
  }
  function knownOf(call: RpcCall): Known | undefined {
    const tag = call.params.at(-1)
    return typeof tag === 'string' && isStateRead(call) ? blocks.get(tag) : undefined
  }

  /** Asks in one batch. While that is under way, whoever asks the same waits for it. */
  function ask(
    calls: readonly RpcCall[],
    { isKept, purpose }: Parameters<BlockReads['answer']>[1],
  ): readonly Promise<RpcOutcome>[] {
    // Nothing that somebody may have made heavy is among them.
    const isLight = purpose === undefined && calls.every(isStateRead)
    const asking = isLight ? sendTogether(calls) : upstream.send(calls, purpose)
    return calls.map((call, index) => {
      const outcome = asking.then((outcomes) => outcomes[index] ?? notAnswered)
      const known = isKept ? knownOf(call) : undefined
      if (known && known.outcomes.size < maxReads) keep(known.outcomes, { call, outcome })
      return outcome
    })
  }
  function keep(
    outcomes: Known['outcomes'],
    { call, outcome }: { call: RpcCall; outcome: Promise<RpcOutcome> },
  ) {
    const key = keyOf(call)
    outcomes.set(key, outcome)
    outcome.then(
      (answered) => {
        if (isRefusal(call, answered)) refusal = answered
        if (answered.ok && answered.result !== null) outcomes.set(key, answered)
        else outcomes.delete(key)
      },
      () => outcomes.delete(key),
    )
  }

  return {
    open({ blockNumber, blockHash }) {
      const tag = toTag(blockNumber)
      const known = blocks.get(tag)
      blocks.delete(tag)
      blocks.set(tag, known?.blockHash === blockHash ? known : { blockHash, outcomes: new Map() })
      for (const old of [...blocks.keys()].slice(0, -blocksKept)) blocks.delete(old)
    },
    async answer(calls, options) {
      const ready = calls.map(find)
      const missing = calls.filter((_, index) => ready[index] === undefined)
      const asked = missing.length > 0 ? [...ask(missing, options)] : []
      return Promise.all(ready.map((outcome) => outcome ?? asked.shift() ?? notAnswered))
    },
  }
}

export const notAnswered: RpcOutcome = {
  ok: false,
  code: -32603,
  message: 'the chain does not answer',
  data: undefined,
}

const isRefusal = ({ method }: RpcCall, outcome: RpcOutcome) =>
  method === shortAccountRead && !outcome.ok && outcome.code === methodNotFound

/**
 * The account object and its three parts say the same, and forks differ in which they ask for: a fork
 * whose chain is gone must not fail for want of the form that another one did not use.
 */
function derive(known: Known['outcomes'], { method, params }: RpcCall): RpcOutcome | undefined {
  const resultOf = (wanted: string): unknown => {
    const outcome = known.get(keyOf({ method: wanted, params }))
    return outcome && 'ok' in outcome && outcome.ok ? outcome.result : undefined
  }
  if (method === shortAccountRead) {
    const [balance, nonce, code] = longAccountReads.map(resultOf)
    if (balance === undefined || nonce === undefined || code === undefined) return undefined
    return { ok: true, result: { balance, nonce, code } }
  }
  const part = partOf.get(method)
  if (part === undefined) return undefined
  const account = resultOf(shortAccountRead) as Record<string, unknown> | undefined
  const result = account?.[part]
  return isHex(result) ? { ok: true, result } : undefined
}

const keyOf = ({ method, params }: RpcCall) => `${method} ${params.join(' ')}`.toLowerCase()
