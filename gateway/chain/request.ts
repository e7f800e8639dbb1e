import { RpcRequestError } from 'viem'
import { ChainUnavailable, WrongChain } from './chainErrors.ts'
import type { Waiting } from './nodes/callQueue.ts'
import type { Failover } from './nodes/failover.ts'
import { foresee } from './nodes/logSpan.ts'
import { mayRefuseLaid, type Nesting } from './nodes/nestedCall.ts'
import type { RpcAnswer, RpcCall } from './nodes/readReply.ts'
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
    spend,
  }: {
    readonly failover: Failover
    readonly waiting: Waiting
    readonly standing: StandingCode
    readonly nesting: Nesting
    /** Of one request for logs, as far as every upstream has told. */
    readonly logBlocks: () => number | undefined
    readonly spend: (method: string) => Promise<boolean>
  },
) {
  async function ask(call: RpcCall): Promise<RpcAnswer> {
    if (!(await spend(call.method))) throw new ChainUnavailable(chainId, ['over_budget'])
    const outcome = await failover.call(call, waiting)
    if (outcome.status === 'answered') return outcome.answer
    const actual = failover.otherChain()
    if (actual !== undefined && outcome.reasons.includes('other_chain'))
      throw new WrongChain({ expected: chainId, actual })
    throw new ChainUnavailable(chainId, outcome.reasons)
  }

  async function askShort(call: RpcCall): Promise<RpcAnswer> {
    const short = standing.shorten(call)
    if (!short) return askLaid(call)
    const answer = await ask(short)
    if (!('result' in answer) || answer.result !== '0x') return answer
    standing.forget(call)
    return askLaid(call)
  }

  /** Code is laid over an address; where no upstream takes that, it is made within the call. */
  async function askLaid(call: RpcCall): Promise<RpcAnswer> {
    const laid = nesting.isNeeded() ? undefined : await ask(call)
    if (laid && !mayRefuseLaid(laid)) return laid
    const nested = nesting.nest(call)
    const answer = nested?.read(await ask(nested.call))
    if (laid && answer && 'result' in answer) nesting.need()
    return answer ?? laid ?? ask(call)
  }

  return async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    const call = { method, params }
    const error = foresee(call, logBlocks())
    const answer = error ? { error } : await askShort(call)
    if ('result' in answer) return answer.result
    throw new RpcRequestError({ body: { method }, error: answer.error, url: upstreamName })
  }
}
