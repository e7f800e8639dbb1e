import { toHex, zeroAddress } from 'viem'
import { balanceReaderOverride, readBalances, readBalancesCall } from './balanceReader.ts'
import {
  type DeployQuestion,
  type DeployReport,
  deployCalls,
  readDeployCalls,
  toExisting,
  tokenReadGas,
} from './deployCalls.ts'
import type { Generations } from './generations.ts'
import { simulateParams } from './rpc/callShapes.ts'
import { orSilent } from './rpc/orSilent.ts'
import { readSimulated } from './rpc/readSimulated.ts'
import { type BlockId, toTag, type Upstream } from './upstream.ts'

type Deps = {
  readonly upstream: Pick<Upstream, 'send'>
  readonly pickBlock: Generations['pickBlock']
  readonly now: () => number
  readonly steadyNow?: (() => number) | undefined
}
type Asked = DeployQuestion & { readonly minBlock?: bigint | undefined }

/** What the reader of the balance needs for itself. */
const readerGas = 10_000n
/** Of any transaction: what says less has not been run. */
const leastGas = 21_000n
/** A node that did not answer this is left alone so long, else whoever comes asks it in vain before a fork. */
const restMs = 10_000

/**
 * The same as `simulateDeploy` by one call of the chain's own node, at the block that a fork would be of: nothing has
 * to be fetched for it, and no fork be made. Only what goes well is believed. Undefined where the node does not answer
 * such a call, and where it refuses the deployment or the token tells no balance: of those a fork knows more.
 */
export function createSimulateDeployOnChain({
  upstream,
  pickBlock,
  now,
  steadyNow = () => performance.now(),
}: Deps): (asked: Asked) => Promise<DeployReport | undefined> {
  let restsUntilMs = Number.NEGATIVE_INFINITY

  async function run(question: DeployQuestion, { blockNumber, timestampSecs }: BlockId) {
    const { tokenIn, owner } = question
    const token = readBalancesCall([{ token: tokenIn, holder: owner }])
    // By the reader, which neither lets the token change anything nor answer at length.
    const calls = [...deployCalls(question), { ...token, gas: toHex(tokenReadGas + readerGas) }]
    const nowSecs = BigInt(Math.floor(now() / 1000))
    // Nodes want a block's time to be later than its parent's.
    const timeSecs = nowSecs > timestampSecs ? nowSecs : timestampSecs + 1n
    const [simulation] = simulateParams({
      calls,
      stateOverrides: balanceReaderOverride,
      blockOverrides: { time: toHex(timeSecs) },
    })
    const params = [simulation, toTag(blockNumber)]
    const outcomes = await orSilent(upstream.send([{ method: 'eth_simulateV1', params }]))
    const [outcome] = outcomes === 'silent' ? [] : outcomes
    return (outcome && readSimulated(outcome, calls.length)) ?? []
  }

  return async ({ minBlock, ...question }) => {
    // For the reader that is the native currency, and no token.
    if (steadyNow() < restsUntilMs || question.tokenIn === zeroAddress) return undefined
    const block = await pickBlock(minBlock)
    if (!block) return undefined
    const results = await run(question, block)
    const { proxyOf, predictedProxy, deploy, ...funds } = readDeployCalls(results)
    const { nativeBalance, relayerBalance } = funds
    if (
      proxyOf === undefined ||
      predictedProxy === undefined ||
      nativeBalance === undefined ||
      relayerBalance === undefined ||
      !deploy ||
      deploy.gasUsed < leastGas
    ) {
      restsUntilMs = steadyNow() + restMs
      return undefined
    }
    const [tokenBalance] = readBalances(results.at(-1), 1)
    if (!deploy.ok || tokenBalance === undefined) return undefined
    return {
      blockNumber: block.blockNumber,
      existingProxy: toExisting(proxyOf),
      predictedProxy,
      tokenBalance,
      nativeBalance,
      relayerBalance,
      deploy: { status: 'ok', gasUsed: deploy.gasUsed },
    }
  }
}
