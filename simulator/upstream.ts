import { type Hex, hexToBigInt, isHex } from 'viem'
import {
  createRpcEndpoint,
  type RpcCall,
  type RpcEndpoint,
  type RpcOutcome,
  RpcTransportError,
} from './rpc/rpcBatch.ts'
import { createShareNext } from './shareNext.ts'
import { createTurnstile, type Entrant } from './turnstile.ts'

export type BlockId = {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly timestampSecs: bigint
}

/** What is asked: where the head is, what simulations miss, what the next ones will. */
export type UpstreamPurpose = 'sync' | 'simulation' | 'warmUp'
/** Waits until so many calls may be made; false where there is no more to spend. */
export type SpendUpstream = (purpose: UpstreamPurpose, calls: number) => Promise<boolean>

/**
 * Asks the chain in place of the URLs: whoever has a client of its own has learned what its nodes take.
 * A call that nobody answered is undefined. `first`: only the node that is asked first is asked.
 */
export type AskUpstream = (
  calls: readonly RpcCall[],
  purpose: UpstreamPurpose,
  whom?: 'first',
) => Promise<readonly (RpcOutcome | undefined)[] | 'over_budget'>

type SendUpstream = (
  calls: readonly RpcCall[],
  purpose?: UpstreamPurpose,
) => Promise<readonly RpcOutcome[]>

export type SendApart = (
  calls: readonly RpcCall[],
  entrant?: Entrant,
) => Promise<readonly RpcOutcome[]>

export type SendToFirst = (
  calls: readonly RpcCall[],
  isWanted?: () => boolean,
) => Promise<readonly RpcOutcome[] | 'unsent'>

/** The real chain, as the fork management and the forks' reads see it. */
export type Upstream = {
  /** Who asks while a question is under way shares the next one. */
  readonly readHead: () => Promise<BlockId>
  readonly readBlock: (p: { readonly blockNumber: bigint }) => Promise<BlockId | undefined>
  readonly readChainId: () => Promise<number>
  /**
   * Sends calls as one batch; throws {@link RpcTransportError}, at once (`sync` apart) while the chain
   * is known to be down, and where they are over what may be spent.
   */
  readonly send: SendUpstream
  /**
   * The same for what a stranger may have made heavy: a few at a time, not all of one caller, and however
   * long they take says nothing of the chain to anybody else.
   */
  readonly sendApart: SendApart
  /**
   * The same for what a fork can do as well, and what nobody but the node that is asked first is to say: `unsent` where
   * it soon has no place, is not wanted any more when it is about to be sent, is over what may be spent, or the chain is
   * known to be down.
   */
  readonly sendToFirst: SendToFirst
  /** False after a failure, until it answers again. */
  readonly isAnswering: () => boolean
  readonly close: () => Promise<void>
}

/** Below anvil's own limit for one read, so that it hears from us and not from its clock. */
const timeoutMs = 1_500
/** After so many failures in a row the chain is left alone for a moment, else each cold read waits in vain. */
const failuresToOpen = 2
const openForMs = 750
const retryPauseMs = 120
/** Of what strangers have made: a node's other work has its places beside it, and so has another caller's. */
const apart = { places: 3, placesOfOne: 2 }
/** Of what forks can do as well. With those apart nearly all that a client gives to code. */
const toFirst = { places: 4, placesOfOne: 4 }
/** For a place there: a fork costs a real node more, and whoever waits for one waits for all its reads. */
const toFirstPatienceMs = 1_000
const limits = { timeoutMs, maxBytes: 32 * 1024 * 1024 }
const busyStatuses: readonly (number | undefined)[] = [429, 502, 503]

type Endpoint = { readonly rpc: RpcEndpoint; isRightChain: boolean }

/**
 * Speaks to the first of the URLs as long as it answers, then to the next. One that has not shown
 * that it serves `chainId` is given no question about state.
 */
export function createUpstream({
  chainId,
  urls,
  spend = async () => true,
  ask: askInstead,
}: {
  chainId: number
  urls: readonly string[]
  spend?: SpendUpstream | undefined
  ask?: AskUpstream | undefined
}): Upstream {
  const endpoints = urls.map(
    (url): Endpoint => ({ rpc: createRpcEndpoint({ url }), isRightChain: false }),
  )
  let preferred = 0
  let failures = 0
  let openUntilMs = 0
  const enterApart = createTurnstile(apart)
  const enterToFirst = createTurnstile(toFirst)

  async function attempt({ rpc }: Endpoint, calls: readonly RpcCall[]) {
    try {
      return await rpc.batch(calls, limits)
    } catch (error) {
      if (!(error instanceof RpcTransportError) || !busyStatuses.includes(error.httpStatus))
        throw error
      await new Promise((resolve) => setTimeout(resolve, retryPauseMs))
      return rpc.batch(calls, limits)
    }
  }

  /** The only upstream there is was checked when the fork was made; another one is before it takes over. */
  async function isUsable(endpoint: Endpoint, index: number) {
    if (index === preferred || endpoint.isRightChain) return true
    const [outcome] = await endpoint.rpc.batch([{ method: 'eth_chainId', params: [] }], limits)
    endpoint.isRightChain = outcome?.ok === true && Number(outcome.result) === chainId
    return endpoint.isRightChain
  }

  async function attemptAll(calls: readonly RpcCall[], most = endpoints.length) {
    let last: unknown
    for (let step = 0; step < most; step += 1) {
      const index = (preferred + step) % endpoints.length
      const endpoint = endpoints[index]
      try {
        if (!endpoint || !(await isUsable(endpoint, index))) continue
        const outcomes = await attempt(endpoint, calls)
        preferred = index
        return outcomes
      } catch (error) {
        last = error
      }
    }
    throw last ?? new RpcTransportError('connection')
  }

  const isOpen = () => performance.now() < openUntilMs
  function throwIfOpen() {
    if (isOpen()) throw new RpcTransportError('connection')
  }

  // Who asks for us counts for itself.
  const begin: AskUpstream = askInstead
    ? async (...asked) => askInstead(...asked)
    : async (calls, purpose, whom) =>
        (await spend(purpose, calls.length))
          ? attemptAll(calls, whom === 'first' ? 1 : undefined)
          : 'over_budget'

  async function finish(asking: ReturnType<AskUpstream>): Promise<readonly RpcOutcome[]> {
    const outcomes = await (askInstead ? inTime(asking) : asking)
    if (outcomes === 'over_budget') throw new RpcTransportError('over_budget')
    if (outcomes.every((outcome) => outcome === undefined))
      throw new RpcTransportError('connection')
    return outcomes.map((outcome) => outcome ?? unanswered)
  }

  /** A node works on after nobody waits for it any more. */
  async function finishInside(
    asking: ReturnType<AskUpstream>,
    leave: () => void,
  ): Promise<readonly RpcOutcome[]> {
    void asking.then(leave, leave)
    return finish(asking)
  }

  const send: SendUpstream = async (calls, purpose = 'simulation') => {
    // Where the head is has to be known, however slow other reads have been.
    if (purpose !== 'sync') throwIfOpen()
    if (calls.length === 0) return []
    try {
      const outcomes = await finish(begin(calls, purpose))
      failures = 0
      openUntilMs = 0
      return outcomes
    } catch (error) {
      // What was not sent says nothing of the chain.
      if (isOverBudget(error)) throw error
      failures += 1
      if (failures >= failuresToOpen) openUntilMs = performance.now() + openForMs
      throw error
    }
  }

  const sendApart: SendApart = async (calls, entrant) => {
    throwIfOpen()
    if (calls.length === 0) return []
    const leave = await enterApart(timeoutMs, entrant)
    if (!leave) throw new RpcTransportError(entrant?.signal?.aborted ? 'aborted' : 'timeout')
    return finishInside(begin(calls, 'simulation'), leave)
  }

  const sendToFirst: SendToFirst = async (calls, isWanted = () => true) => {
    const leave = isOpen() ? undefined : await enterToFirst(toFirstPatienceMs)
    if (!leave || isOpen() || !isWanted()) {
      leave?.()
      return 'unsent'
    }
    return finishInside(begin(calls, 'simulation', 'first'), leave).catch((error: unknown) => {
      if (isOverBudget(error)) return 'unsent'
      throw error
    })
  }

  const askOne = async (method: string, params: readonly unknown[]) =>
    (await send([{ method, params }], 'sync'))[0]
  return {
    readHead: createShareNext(async () => {
      const block = readBlockId(await askOne('eth_getBlockByNumber', ['latest', false]))
      if (!block) throw new Error('the chain has no head')
      return block
    }),
    async readBlock({ blockNumber }) {
      return readBlockId(await askOne('eth_getBlockByNumber', [toTag(blockNumber), false]))
    },
    async readChainId() {
      const outcome = await askOne('eth_chainId', [])
      if (!outcome?.ok || !isHex(outcome.result)) throw new Error('the chain states no id')
      return Number(outcome.result)
    },
    send,
    sendApart,
    sendToFirst,
    isAnswering: () => failures === 0,
    async close() {
      await Promise.all(endpoints.map(({ rpc }) => rpc.close()))
    },
  }
}

const unanswered: RpcOutcome = {
  ok: false,
  code: -32603,
  message: 'the chain does not answer',
  data: undefined,
}

const isOverBudget = (error: unknown) =>
  error instanceof RpcTransportError && error.fault === 'over_budget'

/** Within the time that a fork has for a read. */
async function inTime<answer>(asking: Promise<answer>): Promise<answer> {
  let clock: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    clock = setTimeout(() => reject(new RpcTransportError('timeout')), timeoutMs)
  })
  return Promise.race([asking, late]).finally(() => clearTimeout(clock))
}

export const toTag = (blockNumber: bigint): Hex => `0x${blockNumber.toString(16)}`

function readBlockId(outcome: RpcOutcome | undefined): BlockId | undefined {
  if (!outcome?.ok) throw new Error('the chain does not answer')
  if (outcome.result === null || typeof outcome.result !== 'object') return undefined
  const { number, hash, timestamp } = outcome.result as Record<string, unknown>
  if (!isHex(number) || !isHex(hash) || !isHex(timestamp)) throw new Error('the block is garbled')
  return {
    blockNumber: hexToBigInt(number),
    blockHash: hash,
    timestampSecs: hexToBigInt(timestamp),
  }
}
