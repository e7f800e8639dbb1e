import { type Hex, size, toHex } from 'viem'
import { balanceReaderOverride } from './balanceReader.ts'
import type { CodelessTokens } from './codelessTokens.ts'
import {
  type DeployQuestion,
  type DeployReport,
  deployCalls,
  deployGas,
  readDeployCalls,
  toExisting,
  tokenReadGas,
} from './deployCalls.ts'
import type { Generation } from './generation.ts'
import { describeRevert, type ErrorTable } from './revertReason.ts'
import { balanceOfCall, simulateParams } from './rpc/callShapes.ts'
import { orSilent } from './rpc/orSilent.ts'
import {
  readSimulated,
  readWord,
  readWordOutcome,
  type SimulatedCall,
} from './rpc/readSimulated.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import { toTag, type Upstream } from './upstream.ts'

const timeoutMs = 5_000

type DeployDeps = {
  readonly errors: ErrorTable
  readonly now: () => number
  readonly codeless: CodelessTokens
  readonly upstream: Pick<Upstream, 'send'>
}
type Asked = DeployQuestion & { readonly generation: Generation; readonly chainId: number }

/**
 * Everything that the relay's gates ask about a deployment, read and dry-run on one block in one call. An owner is
 * new to each fork, which fetches what one call wants one after the other, and what calls beside it want at once:
 * while it begins with the balances, the proxy's account and the token are read alone, too.
 */
export async function simulateDeploy(
  { errors, now, codeless, upstream }: DeployDeps,
  { generation, chainId, ...asked }: Asked,
): Promise<DeployReport> {
  const { tokenIn, owner } = asked
  const token = { ...balanceOfCall(tokenIn, owner), gas: toHex(tokenReadGas) }
  const own = deployCalls(asked)
  const [, proxyOfOwner] = own
  const calls = [...own, token]
  const nowSecs = BigInt(Math.floor(now() / 1000))
  const timeSecs = nowSecs > generation.timestampSecs ? nowSecs : generation.timestampSecs
  const stateOverrides = { ...generation.overrides, ...balanceReaderOverride }
  const params = simulateParams({
    calls,
    stateOverrides,
    blockOverrides: { time: toHex(timeSecs) },
  })
  const alone = [proxyOfOwner, token].map((call) => ({
    method: 'eth_call',
    params: [call, 'latest', stateOverrides],
  }))
  const together = { method: 'eth_simulateV1', params }
  const outcomes = await generation.fork.rpc.batch([...alone, together], { timeoutMs })
  const outcome = outcomes.at(-1)
  const results = (outcome && readSimulated(outcome, calls.length)) ?? []
  const read = readDeployCalls(results)
  const { proxyOf, predictedProxy, nativeBalance, relayerBalance, deploy } = read
  if (nativeBalance === undefined || relayerBalance === undefined || !deploy) throw silence(chainId)
  if (predictedProxy === undefined || proxyOf === undefined)
    throw new SimulatorUnavailable({ chainId, reason: 'the proxy factory does not answer' })
  return {
    blockNumber: generation.blockNumber,
    existingProxy: toExisting(proxyOf),
    predictedProxy,
    tokenBalance:
      readWord(results.at(-1)) ??
      (await readCodeless({ codeless, upstream }, { generation, chainId, ...asked })),
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
  { generation, chainId, tokenIn, owner }: Asked,
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

function describeHalt({ returnData, gasUsed }: SimulatedCall, errors: ErrorTable): string {
  const data: Hex = returnData
  return gasUsed >= deployGas && size(data) === 0
    ? 'gas cap exceeded'
    : describeRevert(data, errors)
}
