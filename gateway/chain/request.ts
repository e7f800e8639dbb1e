import { RpcRequestError } from 'viem'
import { BlockOrphaned, ChainUnavailable, WrongChain } from './chainErrors.ts'
import { type BlockHashes, blockOf, nameByNumber, unfoldBlock } from './nodes/blockHashes.ts'
import type { Outcome, Waiting } from './nodes/callQueue.ts'
import type { Failover } from './nodes/failover.ts'
import { foresee } from './nodes/logSpan.ts'
import { mayRefuseLaid, type Nesting } from './nodes/nestedCall.ts'
import { isRecord, type RpcAnswer, type RpcCall, readError } from './nodes/readReply.ts'
import type { StandingCode } from './nodes/standingCode.ts'

/** The name under which upstreams appear in errors, in place of a URL. */
const upstreamName = 'http://upstream'

/** Asks a chain's upstreams for one purpose, as viem's transports do. */
export function createRequest(
  chainId: number,
  {
    failover,
    waiting,
    standing,
    nesting,
    logBlocks,
    blocks,
    isPinned,
    heard,
    spend,
  }: {
    readonly failover: Failover
    readonly waiting: Waiting
    readonly standing: StandingCode
    readonly nesting: Nesting
    /** Of one request for logs, as far as every upstream has told. */
    readonly logBlocks: () => number | undefined
    readonly blocks: BlockHashes
    /** Calls that name none by its hash are of the block that was told of, and not of whichever has its number. */
    readonly isPinned: boolean
    /** Of each answer. */
    readonly heard?: ((outcome: Extract<Outcome, { status: 'answered' }>) => void) | undefined
    readonly spend: (method: string) => Promise<boolean>
  },
) {
  async function ask(call: RpcCall): Promise<RpcAnswer> {
    if (!(await spend(call.method))) throw new ChainUnavailable(chainId, ['over_budget'])
    const outcome = await failover.call(call, waiting)
    if (outcome.status === 'answered') {
      heard?.(outcome)
      // What others have seen meanwhile is no block that is being read.
      if (isPinned) blocks.note(call, outcome.answer)
      return outcome.answer
    }
    const actual = failover.otherChain()
    // One that is away, or has had too many calls, may be of the right one.
    const isAstray = failover.isAstray() && outcome.reasons.includes('other_chain')
    if (actual !== undefined && isAstray) throw new WrongChain({ expected: chainId, actual })
    throw new ChainUnavailable(chainId, outcome.reasons)
  }

  async function askPinned(call: RpcCall): Promise<RpcAnswer> {
    const answer = await ask(call)
    if (call.blockHash === undefined || !isUnknown(answer)) return answer
    // It may be there for whoever asks by its number: that counts if it is still the block afterwards.
    const again = await ask(nameByNumber(call))
    const params = [blockOf(call), false]
    const block = await ask({ method: 'eth_getBlockByNumber', params })
    if (!('result' in block)) return answer
    const { hash } = isRecord(block.result) ? block.result : {}
    if (hash !== call.blockHash) throw new BlockOrphaned(chainId)
    return again
  }

  async function askShort(call: RpcCall): Promise<RpcAnswer> {
    const short = standing.shorten(call)
    if (!short) return askLaid(call)
    const answer = await askPinned(short)
    if (!('result' in answer) || answer.result !== '0x') return answer
    standing.forget(call)
    return askLaid(call)
  }

  /** Code is laid over an address; where no upstream takes that, it is made within the call. */
  async function askLaid(call: RpcCall): Promise<RpcAnswer> {
    const laid = nesting.isNeeded() ? undefined : await askPinned(call)
    if (laid && !mayRefuseLaid(laid)) return laid
    const nested = nesting.nest(call)
    const answer = nested?.read(await askPinned(nested.call))
    if (laid && answer && 'result' in answer) nesting.need()
    return answer ?? laid ?? askPinned(call)
  }

  return async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    const named = unfoldBlock({ method, params })
    const call = isPinned ? blocks.pin(named) : named
    const error = foresee(call, logBlocks())
    const answer = error ? { error } : await askShort(call)
    if ('result' in answer) return answer.result
    // Who refused it last may take less than the others.
    const refused = foresee(call, logBlocks()) ?? answer.error
    throw new RpcRequestError({ body: { method }, error: refused, url: upstreamName })
  }
}

const isUnknown = (answer: RpcAnswer) =>
  'error' in answer && readError(answer.error).kind === 'block_unknown'
