import type { Address, Hex } from 'viem'
import type { FeeQuote } from './fees.ts'
import type { RelayLimits } from './limits.ts'

/** Gates 1 to 5: one simulated block. */
export type SimulatedFacts = {
  readonly limits: RelayLimits
  readonly amountIn: bigint
  readonly existingProxy: Address | undefined
  /** Undefined when tokenIn answers nothing that is a balance. */
  readonly tokenBalance: bigint | undefined
  readonly nativeBalance: bigint
  readonly deploy:
    | { readonly status: 'ok'; readonly gasUsed: bigint }
    | { readonly status: 'reverted'; readonly reason: string }
}

/** Gates 6 and 7: what would be signed, priced from one snapshot. */
export type PricedFacts = {
  readonly limits: RelayLimits
  readonly fees: FeeQuote
  readonly relayerBalance: bigint
}

/** Gates 8 to 10: read and decided inside the transaction that reserves the money. */
export type LedgerFacts = {
  readonly limits: RelayLimits
  readonly fees: FeeQuote
  readonly marker: PendingAnswer | undefined
  readonly deploysThisHour: number
  readonly spendThisHourWei: bigint
  /** Until the oldest reservation leaves the hour. */
  readonly secsToRelief: number
}

export type Refusal = {
  readonly status: 'refused'
  readonly httpStatus: 400 | 429 | 503
  readonly code: string
  readonly sentence: string
  readonly retryAfterSecs?: number | undefined
}

export type PendingAnswer = {
  readonly status: 'pending'
  readonly txHash: Hex
  readonly proxy: Address
}

export type GateAnswer =
  | { readonly status: 'existing'; readonly proxy: Address }
  | PendingAnswer
  | Refusal

type Row<facts> = {
  readonly step: number
  readonly gate: string
  readonly passes: (facts: facts) => boolean
  /** Undefined only where the gate would have passed. */
  readonly otherwise: (facts: facts) => GateAnswer | undefined
}
export type Gate =
  | (Row<SimulatedFacts> & { readonly reads: 'simulation' })
  | (Row<PricedFacts> & { readonly reads: 'fees' })
  | (Row<LedgerFacts> & { readonly reads: 'ledger' })

/** The interface document's table, row for row: order, condition, answer. */
export const gates: readonly Gate[] = [
  {
    step: 1,
    gate: 'Proxy state',
    reads: 'simulation',
    passes: ({ existingProxy }) => existingProxy === undefined,
    otherwise: ({ existingProxy }) => existingProxy && { status: 'existing', proxy: existingProxy },
  },
  {
    step: 2,
    gate: 'Token balance',
    reads: 'simulation',
    passes: ({ tokenBalance, amountIn }) =>
      amountIn > 0n && tokenBalance !== undefined && tokenBalance >= amountIn,
    // Zero is no amount to cover. Whoever has a proxy has heard so at step 1, whatever they want to swap.
    otherwise: ({ amountIn }) =>
      amountIn > 0n
        ? refuse(400, 'insufficient_token_balance', 'owner balance does not cover this amount')
        : refuse(400, 'invalid_request', 'amountIn must be positive'),
  },
  {
    step: 3,
    gate: 'Native balance',
    reads: 'simulation',
    passes: ({ nativeBalance }) => nativeBalance > 0n,
    otherwise: () => refuse(400, 'no_native_balance', 'owner has no native balance'),
  },
  {
    step: 4,
    gate: 'Simulation',
    reads: 'simulation',
    passes: ({ deploy }) => deploy.status === 'ok',
    otherwise: ({ deploy }) =>
      refuse(
        400,
        'simulation_reverted',
        `simulation reverted: ${deploy.status === 'reverted' ? deploy.reason.slice(0, 256) : ''}`,
      ),
  },
  {
    step: 5,
    gate: 'Gas ceiling',
    reads: 'simulation',
    passes: ({ deploy, limits }) =>
      deploy.status === 'ok' && deploy.gasUsed <= BigInt(limits.gasCap),
    otherwise: () =>
      refuse(400, 'gas_cap_exceeded', 'proxy deployment exceeds the sponsored gas cap'),
  },
  {
    step: 6,
    gate: 'Fee ceiling',
    reads: 'fees',
    // Arbitrum charges L1 data as gas: what dear L1 adds to the simulated gas is a matter of price, and
    // never signed above gate 5's ceiling.
    passes: ({ fees, limits }) =>
      fees.feeWei <= limits.maxRelayFeeWei && fees.gasLimit <= BigInt(limits.gasCap),
    otherwise: () =>
      refuse(503, 'fee_ceiling_exceeded', 'relay fee ceiling exceeded on this chain right now', 15),
  },
  {
    step: 7,
    gate: 'Relayer funding',
    reads: 'fees',
    passes: ({ relayerBalance, limits }) => relayerBalance >= limits.minRelayerBalanceWei,
    otherwise: () => refuse(503, 'relay_not_funded', 'relay is not funded on this chain', 60),
  },
  {
    step: 8,
    gate: 'Pending marker',
    reads: 'ledger',
    passes: ({ marker }) => marker === undefined,
    otherwise: ({ marker }) => marker,
  },
  {
    step: 9,
    gate: 'Hourly deploy cap',
    reads: 'ledger',
    passes: ({ deploysThisHour, limits }) => deploysThisHour < limits.maxDeploysPerHour,
    otherwise: ({ secsToRelief }) =>
      refuse(
        429,
        'deploy_cap_reached',
        'sponsored proxy deploy limit is exhausted this hour',
        secsToRelief,
      ),
  },
  {
    step: 10,
    gate: 'Hourly spend budget',
    reads: 'ledger',
    passes: ({ spendThisHourWei, fees, limits }) =>
      spendThisHourWei + fees.reservedWei <= limits.maxSpendPerHourWei,
    otherwise: ({ secsToRelief }) =>
      refuse(
        429,
        'spend_budget_exhausted',
        'relay spend budget for this chain is exhausted this hour',
        secsToRelief,
      ),
  },
]

function refuse(
  httpStatus: Refusal['httpStatus'],
  code: string,
  sentence: string,
  retryAfterSecs?: number,
): Refusal {
  return { status: 'refused', httpStatus, code, sentence, retryAfterSecs }
}

export type FactsOf = {
  readonly simulation: SimulatedFacts
  readonly fees: PricedFacts
  readonly ledger: LedgerFacts
}

export type StoppedAt = { readonly step: number; readonly answer: GateAnswer }

/** What a gate answers on what it reads; undefined where it passes. */
export function answerOf<reads extends Gate['reads']>(
  gate: Gate,
  facts: FactsOf[reads],
): GateAnswer | undefined {
  // `reads` names the kind of both the row and the facts, which TypeScript cannot follow.
  const row = gate as unknown as Row<FactsOf[reads]>
  return row.passes(facts) ? undefined : row.otherwise(facts)
}

/** The first gate that does not pass among those that read `reads`, with its answer. */
export function firstAnswer<reads extends Gate['reads']>(
  reads: reads,
  facts: FactsOf[reads],
): StoppedAt | undefined {
  for (const gate of gates) {
    if (gate.reads !== reads) continue
    const answer = answerOf<reads>(gate, facts)
    if (answer) return { step: gate.step, answer }
  }
  return undefined
}
