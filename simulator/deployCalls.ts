import {
  type Address,
  encodeFunctionData,
  getAddress,
  parseAbi,
  slice,
  toHex,
  zeroAddress,
} from 'viem'
import { readBalances, readBalancesCall } from './balanceReader.ts'
import type { CallShape } from './rpc/callShapes.ts'
import type { SimulatedCall } from './rpc/readSimulated.ts'

/** What the relay's gates ask about a deployment. */
export type DeployQuestion = {
  readonly factory: Address
  readonly owner: Address
  readonly tokenIn: Address
  readonly relayer: Address
}

export type DeployReport = {
  readonly blockNumber: bigint
  readonly existingProxy: Address | undefined
  readonly predictedProxy: Address
  /** Undefined when tokenIn has no code, reverts, needs more gas than it is given, or answers no word. */
  readonly tokenBalance: bigint | undefined
  readonly nativeBalance: bigint
  readonly relayerBalance: bigint
  readonly deploy:
    | { readonly status: 'ok'; readonly gasUsed: bigint }
    | { readonly status: 'reverted'; readonly reason: string }
}

const factoryAbi = parseAbi([
  'function proxyOf(address owner) view returns (address)',
  'function predict(address owner) view returns (address)',
  'function deploy(address owner) returns (address)',
])

/** Ten times what the relay may spend: what is above that shows as an amount, not as a halt. */
export const deployGas = 2_000_000n
/** A token that needs more to state a balance is hostile; bounds what it can return, too. */
export const tokenReadGas = 200_000n

/**
 * All but the token's balance, which comes last: calls share their state, and it may be anybody's code. What the
 * relayer has comes first: a chain may credit it for the calls that it makes.
 */
export function deployCalls({ factory, owner, relayer }: DeployQuestion) {
  const ask = (functionName: 'proxyOf' | 'predict' | 'deploy', gas: bigint): CallShape => ({
    from: relayer,
    to: factory,
    gas: toHex(gas),
    data: encodeFunctionData({ abi: factoryAbi, functionName, args: [owner] }),
  })
  return [
    readBalancesCall([owner, relayer].map((holder) => ({ token: zeroAddress, holder }))),
    ask('proxyOf', 200_000n),
    ask('predict', 200_000n),
    ask('deploy', deployGas),
  ] as const
}

/** What was answered to these; each is undefined where it says nothing. */
export function readDeployCalls([balances, proxyOf, predict, deploy]: readonly SimulatedCall[]) {
  const [nativeBalance, relayerBalance] = readBalances(balances, 2)
  return {
    proxyOf: readAddress(proxyOf),
    predictedProxy: readAddress(predict),
    nativeBalance,
    relayerBalance,
    deploy,
    deployedProxy: readAddress(deploy),
  }
}

/** The factory names none by zero. */
export const toExisting = (proxyOf: Address) => (proxyOf === zeroAddress ? undefined : proxyOf)

function readAddress(call: SimulatedCall | undefined): Address | undefined {
  if (!call?.ok || !addressWord.test(call.returnData)) return undefined
  return getAddress(slice(call.returnData, 12))
}
const addressWord = /^0x0{24}[0-9a-f]{40}$/i
