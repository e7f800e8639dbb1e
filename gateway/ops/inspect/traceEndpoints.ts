import { type Static, Type } from 'typebox'
import type { Simulator, TraceReport } from '../../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../../simulator/simulatorUnavailable.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { httpError } from '../../http/httpError.ts'
import { address, bytes, named, uint256 } from '../../http/schemas.ts'
import { candidateBody, toCandidate } from '../../routing/wire/compare.ts'
import { functionOf } from './functionNames.ts'

const call = named(
  'TracedCall',
  Type.Object({
    depth: Type.Integer({ description: "Of the candidate's own call: 0" }),
    kind: Type.String(),
    from: address(),
    to: Type.Optional(address()),
    selector: bytes(),
    function: Type.Optional(Type.String({ description: 'Where the selector is known' })),
    value: uint256({ description: 'Wei' }),
    gasUsed: uint256(),
    failure: Type.Optional(Type.String({ description: 'Why it failed; absent: it did not' })),
    isCause: Type.Boolean({ description: 'The calls around it failed because of this one' }),
    isUndone: Type.Boolean({ description: 'It, or a call around it, failed' }),
    transfers: Type.Array(
      named(
        'TracedTransfer',
        Type.Object({ token: address(), from: address(), to: address(), amount: uint256() }),
      ),
      { description: 'As the token says; where that is undone, as it was asked for' },
    ),
  }),
)

const output = named(
  'CandidateTrace',
  Type.Object({
    block: Type.Integer(),
    calls: Type.Array(call, { description: 'In the order in which they began' }),
    leftOut: Type.Integer({ description: 'Further calls: there are more than people read' }),
    reason: Type.Optional(Type.String({ description: 'Why there is no trace' })),
  }),
)

function fromReport({ blockNumber, trace }: TraceReport): Static<typeof output> {
  const block = Number(blockNumber)
  if (trace.status !== 'traced') return { block, calls: [], leftOut: 0, reason: trace.reason }
  const calls = trace.calls.map(
    ({ to, selector, valueWei, gasUsed, failure, transfers, ...one }) => {
      const name = functionOf(selector)
      return {
        ...one,
        selector,
        value: String(valueWei),
        gasUsed: String(gasUsed),
        ...(to !== undefined && { to }),
        ...(name !== undefined && { function: name }),
        ...(failure !== undefined && { failure }),
        transfers: transfers.map(({ amount, ...ends }) => ({ ...ends, amount: String(amount) })),
      }
    },
  )
  return { block, calls, leftOut: trace.leftOut }
}

const weth = '0x4200000000000000000000000000000000000006'

/** What operators see of one candidate's dry run. */
export function traceEndpoints(
  simulator: () => Pick<Simulator, 'traceCandidate'>,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/ops/compare/trace',
      summary: 'The calls of one candidate in a dry run, with the one that failed it',
      description: 'One at a time, on a fork of its own; who asks for more waits.',
      input: named(
        'TraceRequest',
        Type.Object({ chainId: Type.Integer(), candidate: candidateBody }),
      ),
      output,
      auth: 'none',
      examples: {
        input: {
          chainId: 8453,
          candidate: {
            providerId: 'mine',
            target: weth,
            data: '0xd0e30db0',
            value: '1000',
            inputToken: '0x0000000000000000000000000000000000000000',
            outputToken: weth,
            inputAmount: '1000',
            quotedOutput: '1000',
          },
        },
        output: { block: 38_512_044, calls: [], leftOut: 0 },
      },
      handle: async ({ body, signal }) => {
        const { candidate } = toCandidate(body.candidate)
        try {
          const { chainId } = body
          return fromReport(await simulator().traceCandidate({ chainId, candidate, signal }))
        } catch (error) {
          if (!(error instanceof SimulatorUnavailable)) throw error
          throw httpError('unavailable', `chain ${body.chainId} cannot be simulated just now`)
        }
      },
    }),
  ]
}
