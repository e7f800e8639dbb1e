import { LRUCache } from 'lru-cache'
import { toHex, zeroAddress } from 'viem'
import { balanceReaderOverride, readBalances, readBalancesCall } from './balanceReader.ts'
import {
  type DeployQuestion,
  type DeployReport,
  deployCalls,
  deployGas,
  readDeployCalls,
  toExisting,
  tokenReadGas,
} from './deployCalls.ts'
import type { Generations } from './generations.ts'
import { simulateParams } from './rpc/callShapes.ts'
import { orSilent } from './rpc/orSilent.ts'
import { readSimulated, type SimulatedCall } from './rpc/readSimulated.ts'
import { type BlockId, toTag, type Upstream } from './upstream.ts'

type Deps = {
  readonly upstream: Pick<Upstream, 'sendToFirst'>
  readonly pickBlock: Generations['pickBlock']
  readonly now: () => number
  readonly steadyNow?: (() => number) | undefined
}
type Asked = DeployQuestion & { readonly minBlock?: bigint | undefined }

/** What the reader of the balance needs for itself. */
const readerGas = 10_000n
/** Of any transaction: what says less has not been run. */
const leastGas = 21_000n
/**
 * Of a deployment, which takes 71,484 to 71,712 by who the owner is: what is signed allows little more than what is
 * believed, and would fail, and be paid for, of a node that says less.
 */
const leastGasToCreate = 71_000n
/**
 * A node that did not answer this is left alone so long, and twice as long each time that it does not again: else
 * whoever comes asks it in vain before a fork. Each answer takes a quarter of that back.
 */
const firstRestMs = 500
const longestRestMs = 300_000
/** An answer that took longer is believed, and no other asked for soon: a fork has it sooner. */
const slowMs = 600
const longestLateRestMs = 10_000
/** A node works on for so long at what nobody waits for any more. */
const lateRestMs = 5_000
/** Who asks again while the block is the same costs the node nothing. */
const mostKept = 256

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
  let nextRestMs = firstRestMs
  const kept = new LRUCache<string, DeployReport | 'fork'>({ max: mostKept })

  const isResting = () => steadyNow() < restsUntilMs
  /** Those that failed beside each other failed once. */
  function rest({ leastMs = 0, mostMs = longestRestMs }): void {
    if (isResting()) return
    const ms = Math.min(Math.max(nextRestMs, leastMs), mostMs)
    restsUntilMs = steadyNow() + ms
    nextRestMs = Math.max(nextRestMs, Math.min(2 * ms, mostMs))
  }

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
    const call = { method: 'eth_simulateV1', params: [simulation, toTag(blockNumber)] }
    let sentAtMs = steadyNow()
    const isWanted = () => {
      sentAtMs = steadyNow()
      return !isResting()
    }
    const outcomes = await orSilent(upstream.sendToFirst([call], isWanted))
    // That says nothing of the node.
    if (outcomes === 'unsent') return undefined
    const isLate = steadyNow() - sentAtMs > slowMs
    const [outcome] = outcomes === 'silent' ? [] : outcomes
    const results = outcome && readSimulated(outcome, calls.length)
    const told = results && readSound(results)
    if (!told) rest(isLate ? { leastMs: lateRestMs } : {})
    else if (isLate) rest({ mostMs: longestLateRestMs })
    else nextRestMs = Math.max(firstRestMs, (nextRestMs * 3) / 4)
    const [tokenBalance] = readBalances(results?.at(-1), 1)
    return told && { ...told, tokenBalance }
  }

  return async ({ minBlock, ...question }) => {
    // For the reader that is the native currency, and no token.
    if (isResting() || question.tokenIn === zeroAddress) return undefined
    const block = await pickBlock(minBlock)
    if (!block) return undefined
    const { factory, owner, tokenIn, relayer } = question
    const key = [block.blockHash, factory, owner, tokenIn, relayer].join()
    const known = kept.get(key)
    if (known) return known === 'fork' ? undefined : known
    const told = await run(question, block)
    if (!told) return undefined
    const { deploy, tokenBalance, ...others } = told
    if (!deploy.ok || tokenBalance === undefined) {
      kept.set(key, 'fork')
      return undefined
    }
    const report: DeployReport = {
      blockNumber: block.blockNumber,
      ...others,
      tokenBalance,
      deploy: { status: 'ok', gasUsed: deploy.gasUsed },
    }
    kept.set(key, report)
    return report
  }
}

/** Undefined for what is no such answer, and for what contradicts itself. */
function readSound(results: readonly SimulatedCall[]) {
  const read = readDeployCalls(results)
  const { proxyOf, predictedProxy, nativeBalance, relayerBalance, deploy, deployedProxy } = read
  if (nativeBalance === undefined || relayerBalance === undefined || !deploy) return undefined
  if (proxyOf === undefined || predictedProxy === undefined) return undefined
  const existingProxy = toExisting(proxyOf)
  if (predictedProxy === zeroAddress) return undefined
  if (existingProxy && existingProxy !== predictedProxy) return undefined
  if (deploy.ok && deployedProxy !== predictedProxy) return undefined
  const least = deploy.ok && !existingProxy ? leastGasToCreate : leastGas
  if (deploy.gasUsed < least || deploy.gasUsed > deployGas) return undefined
  return { existingProxy, predictedProxy, nativeBalance, relayerBalance, deploy }
}
