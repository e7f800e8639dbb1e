import type { Address } from 'viem'
import type { RelayStore } from '../store/relay.ts'
import type { DeploySimulator } from './deploySimulator.ts'
import { quoteFees, readFees } from './fees.ts'
import { answerOf, type FactsOf, gates } from './gates.ts'
import { capWindowMs } from './limits.ts'
import type { RelayChain } from './relayChain.ts'
import { toLedgerFacts } from './signReservation.ts'

/** A number that a gate is decided on, or a word. */
export type GateNumber = {
  readonly name: string
  readonly value: string
  readonly unit?: 'wei' | 'gas' | 'raw'
}

export type ExaminedGate = {
  readonly step: number
  readonly gate: string
  readonly passes: boolean
  /** What it would answer; absent where it passes, or answers with what stands already. */
  readonly sentence?: string
  readonly numbers: readonly GateNumber[]
}

const wei = (name: string, value: bigint): GateNumber => ({
  name,
  value: String(value),
  unit: 'wei',
})
const gas = (name: string, value: bigint | number): GateNumber => ({
  name,
  value: String(value),
  unit: 'gas',
})
const word = (name: string, value: string | number): GateNumber => ({ name, value: String(value) })

/** By the step of the gate. */
const numbersOf: Readonly<Record<number, (facts: FactsOf) => readonly GateNumber[]>> = {
  1: ({ simulation }) => [word('proxy', simulation.existingProxy ?? 'none')],
  2: ({ simulation: { tokenBalance, amountIn } }) => [
    tokenBalance === undefined
      ? word('balance', 'the token answers none')
      : { name: 'balance', value: String(tokenBalance), unit: 'raw' },
    { name: 'amount', value: String(amountIn), unit: 'raw' },
  ],
  3: ({ simulation }) => [wei('native balance', simulation.nativeBalance)],
  4: ({ simulation: { deploy } }) => [
    deploy.status === 'ok' ? gas('used', deploy.gasUsed) : word('reverted', deploy.reason),
  ],
  5: ({ simulation: { deploy, limits } }) => [
    deploy.status === 'ok' ? gas('used', deploy.gasUsed) : word('used', 'unknown'),
    gas('most', limits.gasCap),
  ],
  6: ({ fees: { fees, limits } }) => [
    wei('fee', fees.feeWei),
    wei('most', limits.maxRelayFeeWei),
    gas('limit', fees.gasLimit),
  ],
  7: ({ fees: { relayerBalance, limits } }) => [
    wei('relayer', relayerBalance),
    wei('least', limits.minRelayerBalanceWei),
  ],
  8: ({ ledger: { marker } }) => [word('pending', marker?.txHash ?? 'nothing')],
  9: ({ ledger: { deploysThisHour, limits } }) => [
    word('this hour', deploysThisHour),
    word('most', limits.maxDeploysPerHour),
  ],
  10: ({ ledger: { spendThisHourWei, fees, limits } }) => [
    wei('this hour', spendThisHourWei),
    wei('this one at worst', fees.reservedWei),
    wei('most', limits.maxSpendPerHourWei),
  ],
}

/** Every gate for an owner with what it is decided on, the later ones too; nothing is signed or kept. */
export async function examineOwner(
  {
    store,
    simulator,
    chain,
  }: {
    readonly store: RelayStore
    readonly simulator: DeploySimulator
    readonly chain: RelayChain
  },
  {
    owner,
    tokenIn,
    amountIn,
  }: { readonly owner: Address; readonly tokenIn: Address; readonly amountIn: bigint },
): Promise<readonly ExaminedGate[]> {
  const { chainId, signer, limits, clock, client } = chain
  const { factory, address: relayer } = signer
  const [simulated, snapshot] = await Promise.all([
    simulator.simulateDeploy({ chainId, factory, owner, tokenIn, relayer }),
    readFees(client, { relayer, factory, owner }),
  ])
  const { deploy, relayerBalance } = simulated
  const gasUsed = deploy.status === 'ok' ? deploy.gasUsed : BigInt(limits.gasCap)
  const fees = { limits, relayerBalance, fees: quoteFees(snapshot, { gasUsed, limits }) }
  const time = await clock.read(async () => snapshot.timestampMs)
  const windows = { windowMs: capWindowMs, markerMs: limits.pendingWindowMs }
  const chainNonce = snapshot.relayerNonce
  const request = { chainId, owner, signer: relayer, chainNonce, ...windows, ...time }
  const ledger = toLedgerFacts(fees, await store.look(request))
  const facts: FactsOf = { simulation: { ...simulated, limits, amountIn }, fees, ledger }
  return gates.map((gate) => {
    const { step, gate: name } = gate
    const answer = answerOf(gate, facts[gate.reads])
    return {
      step,
      gate: name,
      passes: answer === undefined,
      ...(answer?.status === 'refused' && { sentence: answer.sentence }),
      numbers: numbersOf[step]?.(facts) ?? [],
    }
  })
}
