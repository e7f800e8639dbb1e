import { type Address, encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import { send } from '../../fixtures/chains/send.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { lessBps } from '../amounts/amounts.ts'
import type { Quote } from './finishQuote.ts'
import { createRouting } from './service/routing.ts'
import { startSwapStand } from './testing/swapStand.ts'
import { deployTwoFaced, type Face, openPool, type Tell, tells } from './testing/twoFaced.ts'

const s = suite('pools with two faces')
const stand = await startSwapStand(8453)
const { chainId, rpcUrl, chainClient, manifest } = stand
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: rpcUrl }] })
const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => manifest.tokens[symbol]?.address)
const [account] = manifest.accounts
if (!weth || !usdc || !account) throw new Error('the world has them')
const { address: taker, privateKey } = account

/** The attacker sells WETH for USDC at half a percent better than anybody else. */
const par = 3_000n * 10n ** 18n
const amounts = [10n ** 18n * 1_000n, 10n ** 6n * 1_000n * 3_000n] as const
const good = (par * 995n) / 1_000n
/** The taker loses 0.4 % then, within the slippage of 0.5 %. */
const bad = (good * 1_004n) / 1_000n
const amountIn = 10n ** 6n * 60n

const decoy = await deployTwoFaced(stand, 'first', simulator.simulatedTaker(chainId))
const loopers = await deployTwoFaced(stand, 'loopers', simulator.simulatedTaker(chainId))
await decoy.show({ tell: 'honest', good, bad: good })
await loopers.show({ tell: 'honest', good: par * 2n, bad: par * 2n })
const pool = await openPool(stand, { provider: decoy.provider, tokens: [weth, usdc], amounts })
const looping: Address[] = []
for (let k = 0n; k < 5n; k += 1n)
  looping.push(
    await openPool(stand, {
      provider: loopers.provider,
      tokens: [weth, usdc],
      amounts: [amounts[0] / 10n, amounts[1] / 10n],
    }),
  )

let shiftMs = 0
const dexNames = ['uniswap-v3', 'aerodrome-v2', 'balancer-v3-stable']
const routing = await createRouting({
  chains: [
    {
      chainClient,
      executor: manifest.executor,
      maxAgeMs: 0,
      pollMs: 3_600_000,
      dexes: stand.dexes.filter(({ name }) => dexNames.includes(name)),
    },
  ],
  simulator,
  serviceName: 'test',
  version: '0',
  publicUrl: 'http://127.0.0.1',
  x402Support: false,
  patienceMs: 60_000,
  now: () => performance.now() + shiftMs,
})
await routing.warmed
s.after(async () => {
  await routing.close()
  await simulator.close()
  await stand.close()
})
const approve = encodeFunctionData({
  abi: erc20Abi,
  functionName: 'approve',
  args: [manifest.executor, maxUint256],
})
for (const to of [weth, usdc]) await send({ rpcUrl, privateKey }, { to, data: approve })

type Asked = Partial<Parameters<typeof routing.quote>[0]>
const ask = (asked: Asked = {}) =>
  routing.quote({
    chainId,
    tokenIn: usdc,
    tokenOut: weth,
    amountIn,
    slippageBps: 50,
    taker,
    ...asked,
  })
async function quoteOf(asked: Asked = {}): Promise<Quote> {
  const outcome = await ask(asked)
  if (outcome.status !== 'ok') throw new Error(`no quote: ${outcome.status}`)
  return outcome.quote
}
const uses = ({ steps }: Quote, address: Address) =>
  steps.some((step) => step.pool.toLowerCase() === address.toLowerCase())
/** Days later nobody remembers what fell. */
async function turn(face: Face) {
  shiftMs += 25 * 3_600_000
  await decoy.show(face)
}
/** What the taker really gets for a quote's payload. */
async function execute({ execution, gasEstimate }: Quote): Promise<bigint> {
  if (!execution) throw new Error('the quote has a payload')
  const before = await stand.balanceOf(weth as Address, taker)
  const { target: to, data, value } = execution
  // As wallets have it, above the estimate.
  const gas = (gasEstimate * 3n) / 2n
  const receipt = await send({ rpcUrl, privateKey }, { to, data, value, gas })
  assert.is(receipt.status, 'success')
  return (await stand.balanceOf(weth as Address, taker)) - before
}

s(
  'are quoted with a payload that was dry-run, where they are honest [trust/verified]',
  async () => {
    await turn({ tell: 'honest', good, bad: good })
    const quoted = await quoteOf()
    assert.ok(uses(quoted, pool))
    assert.is(quoted.readiness, 'verified')
    // Nobody asked for a dry run: the answer has nothing of it.
    assert.is(quoted.verification, undefined)
    assert.ok((await execute(quoted)) >= lessBps(quoted.amountOut, 1))
    const untaken = await quoteOf({ taker: undefined })
    assert.ok(uses(untaken, pool))
    assert.is(untaken.readiness, 'verified')
  },
)

for (const tell of Object.keys(tells) as Tell[]) {
  if (tell === 'honest') continue
  s(`skim nobody who was quoted, by the ${tell} [trust/${tell.replaceAll(' ', '-')}]`, async () => {
    await turn({ tell, good, bad })
    for (const asked of [{}, { verify: true }]) {
      const quoted = await quoteOf(asked)
      assert.ok(quoted.executable)
      assert.ok((await execute(quoted)) >= lessBps(quoted.amountOut, 1), tell)
    }
  })
}

s('skim nobody by exact output, by the origin [trust/exact-output]', async () => {
  const wanted = 10n ** 16n * 2n
  const exact = (verify: boolean) =>
    routing.quoteExactOutput({
      chainId,
      tokenIn: usdc,
      tokenOut: weth,
      slippageBps: 50,
      taker,
      verify,
      targetOutput: wanted,
      maxInput: amountIn * 2n,
      executableOnly: true,
    })
  await turn({ tell: 'honest', good, bad: good })
  const honest = await exact(false)
  assert.ok(honest.status === 'ok' && uses(honest.quote, pool))
  assert.is(honest.status === 'ok' && honest.quote.readiness, 'verified')
  for (const verify of [false, true]) {
    await turn({ tell: 'origin', good, bad })
    const outcome = await exact(verify)
    if (outcome.status !== 'ok') throw new Error(outcome.status)
    assert.ok(outcome.quote.executable)
    assert.ok(lessBps(await execute(outcome.quote), -1) >= wanted)
  }
})

s('skim nobody by the legs of a position, by the gas left [trust/legs]', async () => {
  const dispose = async (mode: 'deep' | 'ultra') => {
    const outcome = await routing.quoteLpDisposal({
      chainId,
      targetToken: weth,
      slippageBps: 50,
      haircutBps: 0,
      taker,
      mode,
      allowPartial: false,
      legs: [
        { token: usdc, amount: amountIn },
        { token: usdc, amount: amountIn / 2n },
      ],
    })
    if (outcome.status !== 'ok') throw new Error(outcome.status)
    return outcome.disposal.legs.flatMap(({ quote }) => quote ?? [])
  }
  await turn({ tell: 'honest', good, bad: good })
  const honest = await dispose('deep')
  assert.is(honest.length, 2)
  assert.ok(honest.some((quote) => uses(quote, pool) && quote.readiness === 'verified'))
  for (const mode of ['deep', 'ultra'] as const) {
    await turn({ tell: 'gas left', good, bad })
    const quotes = await dispose(mode)
    assert.is(quotes.length, 2)
    for (const quoted of quotes) {
      assert.ok(quoted.executable)
      assert.ok((await execute(quoted)) >= lessBps(quoted.amountOut, 1))
    }
  }
})

s('do not keep a pair from being quoted, however many there are [trust/searches]', async () => {
  await turn({ tell: 'honest', good: par * 2n, bad: par * 2n })
  const best = (par * 99n) / 100n
  await loopers.show({ tell: 'honest', loops: 1, good: best, bad: best })
  for (const asked of [{ verify: true }, {}]) {
    const quoted = await quoteOf(asked)
    assert.ok(quoted.executable, quoted.readiness)
    assert.ok((await execute(quoted)) >= lessBps(quoted.amountOut, 1))
  }
})

s('loop without holding up anything [trust/loops]', async () => {
  await loopers.show({ tell: 'honest', loops: 2, good: par, bad: par })
  const quoted = await quoteOf({ verify: true })
  assert.is(quoted.readiness, 'verified')
  assert.not.ok(looping.some((address) => uses(quoted, address)))
})
s.run()
