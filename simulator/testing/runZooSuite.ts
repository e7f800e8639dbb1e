import { type Address, encodeFunctionData, parseAbi, parseEther } from 'viem'
import { send } from '../../fixtures/chains/send.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import type { Candidate } from '../buildBundle.ts'
import type { CandidateResult } from '../classifyOutcome.ts'
import { createSimulator } from '../simulator.ts'
import { SimulatorUnavailable } from '../simulatorUnavailable.ts'
import { startTestForks } from './testForks.ts'
import { waitFor } from './waitFor.ts'

const exchangeAbi = parseAbi([
  'function swap(address tokenIn, uint256 amountIn, address recipient) returns (uint256)',
])
const blocklistAbi = parseAbi(['function setBlocked(address account, bool value)'])
/** Why each token that can't be simulated can't. */
const refusals: Record<string, string> = {
  Liar: 'balance slot not found',
  EndlessLoop: 'balance slot not found',
  ReturnBomb: 'balance slot not found',
}

/** Sells every token of the zoo and of the world's list on one chain. */
export async function runZooSuite(chainId: number): Promise<void> {
  const s = suite(`zoo on ${chainId}`)
  const { rpcUrl, manifest, close } = await startWorldChain({ chainId })
  const simulator = await createSimulator({
    chains: [{ chainId, upstreamUrl: rpcUrl }],
    forks: await startTestForks(),
  })
  s.after(async () => {
    await simulator.close()
    await close()
  })
  const recipient = simulator.simulatedTaker(chainId)
  const weth = manifest.tokens['WETH']?.address ?? '0x'
  const sale = (tokenIn: Address, amountIn: bigint): Candidate => ({
    target: manifest.zooExchange,
    data: encodeFunctionData({
      abi: exchangeAbi,
      functionName: 'swap',
      args: [tokenIn, amountIn, recipient],
    }),
    value: 0n,
    tokenIn,
    tokenOut: weth,
    amountIn,
    spender: manifest.zooExchange,
  })
  /** On a busy machine a fork may be late, or be replaced: what it says is asked for again. */
  async function simulate(candidates: readonly Candidate[]) {
    let results: readonly CandidateResult[] = []
    await waitFor('each is simulated in time', async () => {
      try {
        results = (await simulator.simulateCandidates({ chainId, candidates })).results
      } catch (error) {
        if (error instanceof SimulatorUnavailable) return false
        throw error
      }
      return !results.some((one) => 'cause' in one && one.cause === 'rpc_error')
    })
    return results
  }

  for (const { name, address, layout, verdict } of manifest.zoo) {
    s(`${name} (${layout}) is ${verdict}`, async () => {
      const amounts = [parseEther('100'), 1_000_003n, parseEther('2777.000000000000000777')]
      const results = await simulate(amounts.map((amount) => sale(address, amount)))
      const isSimulated = verdict === 'simulated'
      assert.equal(
        results.map((result) => (result.status === 'ok' ? result.amountOut : result.reason)),
        amounts.map((amount) => (isSimulated ? amount / 1000n : refusals[name])),
      )
      if (!isSimulated) assert.ok(results.every((r) => r.status === 'simulation_unavailable'))
    })
  }
  // Real contracts: Circle's proxy with a flag in the balance's word, and one that returns nothing.
  for (const name of ['USDC', 'USDT'].filter((each) => each in manifest.tokens))
    s(`${name}, the real contract, is simulated`, async () => {
      const amounts = [1_000_003n, 2_777_000_777n]
      const address = manifest.tokens[name]?.address ?? '0x'
      const results = await simulate(amounts.map((amount) => sale(address, amount)))
      assert.equal(
        results.map((result) => result.status === 'ok' && result.amountOut),
        amounts.map((amount) => amount / 1000n),
      )
    })
  s('says so where a blocklisting token refuses the buyer', async () => {
    const { address = '0x' } = manifest.zoo.find(({ name }) => name === 'Blocklist') ?? {}
    const setBlocked = async (isBlocked: boolean) => {
      const args = [manifest.zooExchange, isBlocked] as const
      const data = encodeFunctionData({ abi: blocklistAbi, functionName: 'setBlocked', args })
      const privateKey = manifest.accounts[0]?.privateKey ?? '0x'
      await send({ rpcUrl, privateKey }, { to: address, data })
    }
    await setBlocked(true)
    const [blocked] = await simulate([sale(address, 5_000n)])
    // The exchange wraps the token's own error: Refused(bytes) around Blocked(address).
    assert.is(blocked?.status, 'simulation_failed')
    assert.match(
      blocked?.status === 'simulation_failed' ? blocked.reason : '',
      manifest.zooExchange.slice(2).toLowerCase(),
    )
    await setBlocked(false)
    assert.is((await simulate([sale(address, 5_000n)]))[0]?.status, 'ok')
  })
  s('funds a taker with every token of the world', async () => {
    const tokens = Object.values(manifest.tokens)
    const amounts = tokens.map(({ decimals }) => 10n ** BigInt(decimals) * 3n)
    const results = await simulate(
      tokens.map(({ address }, index) => sale(address, amounts[index] ?? 0n)),
    )
    const refused = results.flatMap((result, index) =>
      result.status === 'simulation_unavailable'
        ? [`${tokens[index]?.name}: ${result.reason}`]
        : [],
    )
    assert.equal(refused, [])
  })
  s.run()
}
