import { type Static, Type } from 'typebox'
import { getAddress, zeroAddress } from 'viem'
import { wholeBps } from '../../amounts/amounts.ts'
import { isNative } from '../../chain/native.ts'
import {
  address,
  bytes,
  chainId,
  named,
  oneOf,
  positiveUint256,
  uint256,
  weiAmount,
} from '../../http/schemas.ts'
import type { ComparedCandidate, ComparedResult, Comparison } from '../compare.ts'

/** More than any aggregator asks at once, and a bound on the work of one request. */
export const mostCandidates = 32
export const longestLabel = 100

export const candidateBody = named(
  'Candidate',
  Type.Object({
    providerId: Type.String({
      minLength: 1,
      maxLength: longestLabel,
      description: 'Label, copied to the result',
    }),
    target: address({ description: 'Transaction `to`' }),
    data: bytes({ description: 'Calldata' }),
    value: weiAmount({ description: 'msg.value, hex or decimal' }),
    inputToken: address({ description: 'The zero address is the native currency' }),
    outputToken: address({ description: 'The zero address is the native currency' }),
    inputAmount: positiveUint256({ description: 'Raw amount the candidate spends' }),
    approveTarget: Type.Optional(
      address({ description: 'Gets the allowance in the simulation; not needed for native input' }),
    ),
    quotedOutput: uint256({ description: 'Output the provider promises' }),
  }),
)

export const compareBody = (chainIds: readonly number[]) =>
  named(
    'CompareRequest',
    Type.Object({
      chainId: chainId(chainIds),
      candidates: Type.Array(candidateBody, { minItems: 1, maxItems: mostCandidates }),
    }),
  )

const toToken = (token: string) => (isNative(token) ? zeroAddress : getAddress(token))

export const toCandidate = (item: Static<typeof candidateBody>): ComparedCandidate => ({
  providerId: item.providerId,
  quotedOutput: BigInt(item.quotedOutput),
  candidate: {
    target: getAddress(item.target),
    data: item.data,
    value: BigInt(item.value),
    tokenIn: toToken(item.inputToken),
    tokenOut: toToken(item.outputToken),
    amountIn: BigInt(item.inputAmount),
    spender:
      item.approveTarget === undefined || isNative(item.inputToken)
        ? undefined
        : getAddress(item.approveTarget),
  },
})

export const toCandidates = (
  body: Static<ReturnType<typeof compareBody>>,
): readonly ComparedCandidate[] => body.candidates.map(toCandidate)

export const compareResponse = named(
  'Comparison',
  Type.Object({
    results: Type.Array(
      named(
        'ComparedCandidate',
        Type.Object({
          providerId: Type.String(),
          status: oneOf(['ok', 'simulation_failed', 'simulation_unavailable']),
          success: Type.Boolean(),
          quotedOutput: uint256(),
          actualOutput: Type.Optional(uint256()),
          accuracyDelta: Type.Optional(
            Type.String({ description: 'actualOutput minus quotedOutput, signed' }),
          ),
          accuracyBps: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295 })),
          gas_used: Type.Optional(uint256()),
          error: Type.Optional(Type.String()),
        }),
      ),
    ),
    winnerProviderId: Type.Optional(Type.String()),
    block_number: Type.Integer({ description: 'The block that all of them were simulated on' }),
  }),
)

const greatestU32 = 2n ** 32n - 1n

/** actual / quoted in basis points, rounded down and kept within u32; nothing promised is fully kept. */
function toAccuracyBps(actual: bigint, quoted: bigint): number {
  if (quoted === 0n) return 10_000
  const accuracy = (actual * wholeBps) / quoted
  return Number(accuracy > greatestU32 ? greatestU32 : accuracy)
}

function fromResult({ providerId, quotedOutput, result }: ComparedResult) {
  const head = { providerId, status: result.status, quotedOutput: quotedOutput.toString() }
  if (result.status !== 'ok') return { ...head, success: false, error: result.reason }
  return {
    ...head,
    success: true,
    actualOutput: result.amountOut.toString(),
    accuracyDelta: (result.amountOut - quotedOutput).toString(),
    accuracyBps: toAccuracyBps(result.amountOut, quotedOutput),
    gas_used: result.gasUsed.toString(),
  }
}

export function fromComparison({
  blockNumber,
  results,
  winnerProviderId,
}: Extract<Comparison, { status: 'ok' }>): Static<typeof compareResponse> {
  return {
    results: results.map(fromResult),
    ...(winnerProviderId !== undefined && { winnerProviderId }),
    block_number: Number(blockNumber),
  }
}
