import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
  size,
  slice,
  toHex,
  zeroAddress,
} from 'viem'
import { balanceReaderOverride, readBalances, readBalancesCall } from './balanceReader.ts'
import type { CodelessTokens } from './codelessTokens.ts'
import type { Generation } from './generation.ts'
import { describeRevert, type ErrorTable } from './revertReason.ts'
import { balanceOfCall, type CallShape, simulateParams } from './rpc/callShapes.ts'
import { orSilent } from './rpc/orSilent.ts'
import {
  readSimulated,
  readWord,
  readWordOutcome,
  type SimulatedCall,
} from './rpc/readSimulated.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import { toTag, type Upstream } from './upstream.ts'

export type DeployReport = {
  readonly blockNumber: bigint
  readonly existingProxy: Address | undefined
  readonly predictedProxy: Address
  /** Undefined when the token does not say it properly within bounded gas. */
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
const deployGas = 2_000_000n
/** A token that needs more to state a balance is hostile; bounds what it can return, too. */
const tokenReadGas = 200_000n
const timeoutMs = 5_000

type DeployDeps = {
  readonly errors: ErrorTable
  readonly now: () => number
  readonly codeless: CodelessTokens
  readonly upstream: Pick<Upstream, 'send'>
}

/**
 * Everything that the relay's gates ask about a deployment, read and dry-run on one block in one call. An owner is
 * new to each fork, which fetches what one call wants one after the other, and what calls beside it want at once:
 * each is made alone, too.
 */
export async function simulateDeploy(
  { errors, now, codeless, upstream }: DeployDeps,
  {
    generation,
    chainId,
    factory,
    owner,
    tokenIn,
    relayer,
  }: {
    generation: Generation
    chainId: number
    factory: Address
    owner: Address
    tokenIn: Address
    relayer: Address
  },
): Promise<DeployReport> {
  const ask = (functionName: 'proxyOf' | 'predict' | 'deploy', gas: bigint): CallShape => ({
    from: relayer,
    to: factory,
    gas: toHex(gas),
    data: encodeFunctionData({ abi: factoryAbi, functionName, args: [owner] }),
  })
  const calls = [
    ask('proxyOf', 200_000n),
    ask('predict', 200_000n),
    readBalancesCall([owner, relayer].map((holder) => ({ token: zeroAddress, holder }))),
    ask('deploy', deployGas),
    // Last: the calls share their state, and a hostile token could deploy the proxy or move a balance.
    { ...balanceOfCall(tokenIn, owner), gas: toHex(tokenReadGas) },
  ]
  const nowSecs = BigInt(Math.floor(now() / 1000))
  const timeSecs = nowSecs > generation.timestampSecs ? nowSecs : generation.timestampSecs
  const stateOverrides = { ...generation.overrides, ...balanceReaderOverride }
  const params = simulateParams({
    calls,
    stateOverrides,
    blockOverrides: { time: toHex(timeSecs) },
  })
  const alone = calls.map((call) => ({
    method: 'eth_call',
    params: [call, 'latest', stateOverrides],
  }))
  const together = { method: 'eth_simulateV1', params }
  const outcomes = await generation.fork.rpc.batch([...alone, together], { timeoutMs })
  const outcome = outcomes.at(-1)
  const results = outcome && readSimulated(outcome, calls.length)
  const [proxyOf, predict, balances, deploy, token] = results ?? []
  const predictedProxy = readAddress(predict)
  const existing = readAddress(proxyOf)
  const [nativeBalance, relayerBalance] = readBalances(balances, 2)
  if (nativeBalance === undefined || relayerBalance === undefined || !deploy) throw silence(chainId)
  if (predictedProxy === undefined || existing === undefined)
    throw new SimulatorUnavailable({ chainId, reason: 'the proxy factory does not answer' })
  return {
    blockNumber: generation.blockNumber,
    existingProxy: existing === zeroAddress ? undefined : existing,
    predictedProxy,
    tokenBalance:
      readWord(token) ??
      (await readCodeless({ codeless, upstream }, { generation, chainId, tokenIn, owner })),
    nativeBalance,
    relayerBalance,
    deploy: deploy.ok
      ? { status: 'ok', gasUsed: deploy.gasUsed }
      : { status: 'reverted', reason: describeHalt(deploy, errors) },
  }
}

/** What no fork has, the chain's node is asked for. */
async function readCodeless(
  { codeless, upstream }: Pick<DeployDeps, 'codeless' | 'upstream'>,
  {
    generation,
    chainId,
    tokenIn,
    owner,
  }: { generation: Generation; chainId: number; tokenIn: Address; owner: Address },
): Promise<bigint | undefined> {
  const [kind] = await codeless(generation, [tokenIn])
  if (kind === 'silent') throw silence(chainId)
  if (kind !== 'codeless') return undefined
  const call = { ...balanceOfCall(tokenIn, owner), gas: toHex(tokenReadGas) }
  const params = [call, toTag(generation.blockNumber)]
  const outcomes = await orSilent(upstream.send([{ method: 'eth_call', params }], 'simulation'))
  // The fork has done its part.
  if (outcomes === 'silent') throw silence(chainId)
  return readWordOutcome(outcomes[0])
}

const silence = (chainId: number) =>
  new SimulatorUnavailable({ chainId, reason: 'the chain did not answer in time' })

function readAddress(call: SimulatedCall | undefined): Address | undefined {
  if (!call?.ok || size(call.returnData) !== 32) return undefined
  return getAddress(slice(call.returnData, 12))
}

function describeHalt({ returnData, gasUsed }: SimulatedCall, errors: ErrorTable): string {
  const data: Hex = returnData
  return gasUsed >= deployGas && size(data) === 0
    ? 'gas cap exceeded'
    : describeRevert(data, errors)
}
