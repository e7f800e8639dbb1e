import {
  type Address,
  type Chain,
  type Client,
  decodeFunctionResult,
  type Hex,
  numberToHex,
  type Transport,
} from 'viem'
import { probeLens } from '../../../contracts/artifacts.ts'
import { encodeCall } from '../../chain/encodeCall.ts'

/** A small swap through the executor; whoever of `holders` has the tokens makes it. */
export type SwapTrial = {
  readonly holders: readonly Address[]
  readonly tokenIn: Address
  readonly amountIn: bigint
  readonly executor: Address
  /** What it has to pay: less is a refusal. */
  readonly least: bigint
  readonly data: Hex
}
/** What became of it; unknown where nobody held enough. */
export type ProbeVerdict = 'unknown' | 'works' | 'refuses'
export type ProbeOutcome = {
  readonly verdict: ProbeVerdict
  /** 0 where nothing was. */
  readonly paid: bigint
}

const verdicts: readonly ProbeVerdict[] = ['unknown', 'works', 'refuses']
/** An address nothing was ever deployed to. */
const prober: Address = '0x00000000000000000000000000000000f0fa9b0e'
/** An ordinary account, which is funded for the length of the call. */
const sender: Address = '0x71c3a9f05e2b84d6907f1ae5c2d83b4690fe17a2'
const purseWei = 10n ** 24n
/** Three holders' tries of one swap, and room for what is around them. */
const callGas = 6_000_000n

/**
 * Tries swaps on the state of one block without owning a token: for the length of the call contracts
 * that hold the tokens run a code that swaps them. Nothing is signed or sent. Each trial is a call of
 * its own, all in one batch: one's holder may be another's pool.
 */
export async function probePools(
  { client }: { readonly client: Client<Transport, Chain> },
  {
    trials,
    blockNumber,
    gasPriceWei,
  }: {
    readonly trials: readonly SwapTrial[]
    readonly blockNumber: bigint
    readonly gasPriceWei: bigint
  },
): Promise<readonly ProbeOutcome[]> {
  return Promise.all(
    trials.map(async (trial) => {
      const call = { abi: probeLens.abi, functionName: 'probe' } as const
      const args = [{ ...trial, holders: [...trial.holders] }] as const
      const code = probeLens.deployedBytecode
      const owners = [prober, ...trial.holders]
      const request = client.request({
        method: 'eth_call',
        params: [
          {
            // As somebody's transaction: a pool that knows a dry run by its sender shows another face to it.
            from: sender,
            to: prober,
            data: encodeCall({ ...call, args }),
            gas: numberToHex(callGas),
            ...(gasPriceWei > 0n && { gasPrice: numberToHex(2n * gasPriceWei) }),
          },
          numberToHex(blockNumber),
          {
            ...Object.fromEntries(owners.map((owner) => [owner, { code }])),
            [sender]: { balance: numberToHex(purseWei) },
          },
        ],
      })
      // A call that a node will not run says nothing of the others.
      const answer = await request.catch(() => undefined)
      if (answer === undefined) return { verdict: 'unknown', paid: 0n }
      const [verdict, paid] = decodeFunctionResult({ ...call, data: answer })
      return { verdict: verdicts[verdict] ?? 'unknown', paid }
    }),
  )
}
