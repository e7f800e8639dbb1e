import { type Address, type Hex, zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import type { Quote } from './finishQuote.ts'
import { createRouting } from './service/routing.ts'
import { startSwapStand } from './testing/swapStand.ts'
import { deployTwoFaced, openPool } from './testing/twoFaced.ts'
import { deployTwoFacedHook } from './testing/twoFacedHook.ts'

const s = suite('pools with an unknown part beside known ones')
const stand = await startSwapStand(8453)
const { chainId, rpcUrl, chainClient, manifest } = stand
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: rpcUrl }] })
const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => manifest.tokens[symbol]?.address)
const [account] = manifest.accounts
if (!weth || !usdc || !account) throw new Error('the world has them')

/** WETH for USDC, half a percent better than anywhere else. */
const rate = 3_000n * 10n ** 15n * 995n
const amounts = [10n ** 18n * 1_000n, 10n ** 6n * 1_000n * 3_000n] as const
const taker = simulator.simulatedTaker(chainId)
const [reviewed, unknown] = [
  await deployTwoFaced(stand, 'reviewed', taker),
  await deployTwoFaced(stand, 'unknown', taker),
]
async function open(provider: Address, count: number): Promise<readonly Address[]> {
  const pools: Address[] = []
  while (pools.length < count)
    pools.push(
      await openPool(stand, { provider, tokens: [weth as Address, usdc as Address], amounts }),
    )
  return pools
}
/** The unknown ones give more by so many hundred thousandths. */
async function offerMore(part: bigint) {
  const better = (rate * (100_000n - part)) / 100_000n
  await reviewed.show({ tell: 'honest', good: rate, bad: rate })
  await unknown.show({ tell: 'honest', good: better, bad: better })
}
await offerMore(0n)
const known = await open(reviewed.provider, 2)
const strange = await open(unknown.provider, 2)

let shiftMs = 0
/** Until it is let go no dry run ends. */
let gate: Promise<void> | undefined
let dryRuns: Promise<unknown>[] = []
const held: typeof simulator = {
  ...simulator,
  simulateCandidates(asked) {
    const run = (async () => {
      await gate
      return simulator.simulateCandidates(asked)
    })()
    dryRuns.push(run)
    return run
  },
}
const startRouting = (
  patienceMs: number,
  dexNames: readonly string[] = ['uniswap-v3', 'balancer-v3-stable'],
  trusted: readonly Address[] = [reviewed.provider],
) =>
  createRouting({
    chains: [
      {
        chainClient,
        executor: manifest.executor,
        maxAgeMs: 0,
        pollMs: 3_600_000,
        dexes: stand.dexes.filter(({ name }) => dexNames.includes(name)),
        trusted,
      },
    ],
    simulator: held,
    serviceName: 'test',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
    patienceMs,
    now: () => performance.now() + shiftMs,
  })
const routing = await startRouting(60_000)
await routing.warmed
s.after(async () => {
  await Promise.all([routing, hooked].map((one) => one.close()))
  await simulator.close()
  await stand.close()
})

const ask = (amountIn: bigint, asking = routing) =>
  asking.quote({
    chainId,
    tokenIn: usdc as Address,
    tokenOut: weth as Address,
    amountIn,
    slippageBps: 50,
    taker: account?.address,
  })
async function quoteOf(amountIn: bigint, asking = routing): Promise<Quote> {
  const outcome = await ask(amountIn, asking)
  if (outcome.status !== 'ok') throw new Error(outcome.status)
  return outcome.quote
}
const uses = ({ steps }: Quote, pools: readonly Address[]) =>
  pools.filter((each) => steps.some(({ pool }) => pool.toLowerCase() === each.toLowerCase())).length

const small = 10n ** 9n
/** Worth the gas of a second pool, and hardly more in four of them than in two. */
const large = 10n ** 11n

for (const [name, part] of [
  ['equal', 0n],
  ['better by less than dry runs tell', 5n],
] as const)
  s(`stand back where they are ${name}, alone and in a split [trust/equal]`, async () => {
    await offerMore(part)
    for (const [amountIn, count] of [
      [small, 1],
      [large, 2],
    ] as const) {
      const quoted = await quoteOf(amountIn)
      assert.is(uses(quoted, strange), 0)
      assert.is(uses(quoted, known), count)
      // Nobody had to be asked whether it holds.
      assert.is(quoted.readiness, 'ready')
    }
  })

s('are quoted where they are better, after a dry run', async () => {
  await offerMore(200n)
  for (const amountIn of [small, large]) {
    const quoted = await quoteOf(amountIn)
    assert.ok(uses(quoted, strange) > 0)
    assert.is(quoted.readiness, 'verified')
  }
})

s(
  'keep nobody waiting who has another route; the verdict is for the next [trust/patience]',
  async () => {
    // Long enough for a verdict that is known, on a machine that has more to do.
    const hasty = await startRouting(200)
    await hasty.warmed
    const { promise, resolve } = Promise.withResolvers<void>()
    ;[gate, dryRuns] = [promise, []]
    // One trial at a time, however many ask.
    for (const quoted of await Promise.all(
      [1n, 2n, 3n].map((more) => quoteOf(small + more, hasty)),
    )) {
      assert.is(uses(quoted, strange), 0)
      assert.is(quoted.readiness, 'ready')
    }
    assert.is(dryRuns.length, 1)
    resolve()
    await Promise.all(dryRuns)
    // Who kept somebody waiting rests a little; then the same payload needs no other dry run on this block.
    shiftMs += 2_000
    const quoted = await quoteOf(small + 1n, hasty)
    assert.ok(uses(quoted, strange) > 0)
    assert.is(quoted.readiness, 'verified')
    assert.is(dryRuns.length, 1)
    gate = undefined
    await hasty.close()
  },
)

s(
  'are not waited for without end where there is no other route either [trust/patience-alone]',
  async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const alone = await startRouting(1, ['balancer-v3-stable'], [])
    await alone.warmed
    ;[gate, dryRuns] = [promise, []]
    const outcome = await ask(small, alone)
    const reason = 'the only route needs a dry run'
    assert.equal(outcome, { status: 'unavailable', reason, byItsPools: true })
    assert.is(dryRuns.length, 1)
    resolve()
    gate = undefined
    await Promise.all(dryRuns)
    await alone.close()
  },
)
const launch = await deployTwoFacedHook(stand, 'unknown')
const listed = await deployTwoFacedHook(stand, 'listed')
const hooked = await startRouting(60_000, ['uniswap-v3', 'uniswap-v4'], [listed.hook])
await hooked.warmed

s(
  'of Uniswap v4 are quoted after a dry run, and only where they are better [21/hooks-unknown]',
  async () => {
    // Made while it is followed: its event tells of it. By its own state the stranger's is the better one.
    const currencies = [zeroAddress, usdc as Address] as const
    const ids: Hex[] = []
    for (const [{ show, open: openHooked }, price] of [
      [listed, 2_955n],
      [launch, 2_950n],
    ] as const) {
      await show(100n, 100n)
      const deep = [10n ** 21n, price * 10n ** 9n] as const
      ids.push(await openHooked({ currencies, amounts: deep, feePips: 500 }))
    }
    const poolsOf = ({ steps }: Quote) => steps.map(({ poolId = '0x' }) => ids.indexOf(poolId))
    const better = await quoteOf(small, hooked)
    assert.equal(poolsOf(better), [1])
    assert.is(better.readiness, 'verified')
    // As much as the other, after what it keeps.
    await launch.show(117n, 117n)
    const known = await quoteOf(small, hooked)
    assert.equal(poolsOf(known), [0])
    assert.is(known.readiness, 'ready')
    assert.ok(better.amountOut > known.amountOut)
    // What it takes of whoever trades is not what it told a quoter.
    await launch.show(60n, 90n)
    assert.equal(poolsOf(await quoteOf(small + 1n, hooked)), [0])
    // That it refuses quoters is no reason to do without the others.
    await launch.show(10_001n, 60n)
    shiftMs += 25 * 3_600_000
    assert.equal(poolsOf(await quoteOf(small + 2n, hooked)), [0])
  },
)
s.run()
