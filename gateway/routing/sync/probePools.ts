import {
  type Address,
  type Chain,
  type Client,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  type Transport,
} from 'viem'
import { probeLens } from '../../../contracts/artifacts.ts'

/** A small swap through the executor; whoever of `holders` has the tokens makes it. */
export type SwapTrial = {
  readonly holders: readonly Address[]
  readonly tokenIn: Address
  readonly amountIn: bigint
  readonly executor: Address
  readonly data: Hex
}
/** What became of it; unknown where nobody held enough. */
export type ProbeVerdict = 'unknown' | 'works' | 'refuses'

const verdicts: readonly ProbeVerdict[] = ['unknown', 'works', 'refuses']
/** An address nothing was ever deployed to. */
const prober: Address = '0x00000000000000000000000000000000f0fa9b0e'
/** Three holders' tries of one swap, and room for what is around them. */
const callGas = 6_000_000n

/**
 * Tries swaps on the state of one block without owning a token: for the length of the call contracts
 * that hold the tokens run a code that swaps them. Nothing is signed or sent. Each trial is a call of
 * its own, all in one batch: one's holder may be another's pool.
 */
export async function probePools(
  { client }: { readonly client: Client<Transport, Chain> },
  { trials, blockNumber }: { readonly trials: readonly SwapTrial[]; readonly blockNumber: bigint },
): Promise<readonly ProbeVerdict[]> {
  return Promise.all(
    trials.map(async (trial) => {
      const call = { abi: probeLens.abi, functionName: 'probe' } as const
      const args = [{ ...trial, holders: [...trial.holders] }] as const
      const code = probeLens.deployedBytecode
      const owners = [prober, ...trial.holders]
      const answer = await client.request({
        method: 'eth_call',
        params: [
          { to: prober, data: encodeFunctionData({ ...call, args }), gas: numberToHex(callGas) },
          numberToHex(blockNumber),
          Object.fromEntries(owners.map((owner) => [owner, { code }])),
        ],
      })
      return verdicts[decodeFunctionResult({ ...call, data: answer })] ?? 'unknown'
    }),
  )
}
