import {
  type Address,
  type Chain,
  type Client,
  createClient,
  custom,
  decodeFunctionData,
  encodeFunctionResult,
  getAddress,
  type Hex,
  pad,
  type Transport,
  toFunctionSelector,
  toHex,
} from 'viem'
import { probeLens, quoteLens, swapExecutor } from '../../contracts/artifacts.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import { toViemChain } from '../chain/client.ts'
import { createMarket, poolOf } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { createPoolProbes } from './poolProbes.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import { gridSize, listGrid } from './protocols/quoted/quoted.ts'
import { createSyncedState, type SyncedState } from './sync/syncedState.ts'
import { fakeAddress } from './testing/viewNode.ts'

const s = suite('what is known of pools')

s(
  'is forgotten beyond a number, what was asked for longest ago first [strangers/probes]',
  async () => {
    const tried: string[] = []
    // Pools that nobody can try: each time one is looked at it is looked for.
    const pools = { get: (id: string) => void tried.push(id) } as unknown as SyncedState['pools']
    const probes = createPoolProbes({
      client: {} as Client<Transport, Chain>,
      executor: '0x0000000000000000000000000000000000000001',
      current: () => ({ pools }) as SyncedState,
      gasPriceWei: () => 0n,
      mostKept: 100,
      now: () => 0,
    })
    const use = (n: number) => {
      const step = { poolId: `pool ${n}`, tokenIn: 'a', tokenOut: 'b' }
      return probes.hasRefusing({ steps: [step] } as unknown as Route)
    }
    for (let n = 0; n < 100; n += 1) await use(n)
    await use(0)
    for (let n = 100; n < 199; n += 1) await use(n)
    assert.is(tried.length, 199, 'each once')
    tried.length = 0
    for (const n of [0, 198, 1]) await use(n)
    assert.equal(tried, ['pool 1'])
  },
)
const [tokenIn, tokenOut, executor] = [1, 2, 3].map(fakeAddress) as [Hex, Hex, Hex]
const e24 = 10n ** 24n
const idOf = (n: number) => fakeAddress(100 + n)
function pool(n: number, reserve: bigint): PairRecord {
  const id = idOf(n)
  return {
    id,
    address: getAddress(id),
    dex: 'd',
    protocol: 'uniswap_v2',
    tokens: [tokenIn, tokenOut],
    feePips: 3_000,
    changedBlock: 1n,
    swapsSeen: 0,
    isFresh: [false, false],
    reserve0: reserve,
    reserve1: reserve,
  }
}
/** The deeper a pool, the sooner its tokens are what a trial swaps. */
const reserveOf = (n: number) => e24 - BigInt(n) * 10n ** 20n
const records = [4, 3, 2, 1, 0].map((n) => pool(n, reserveOf(n)))
const head = { number: 9n, hash: '0x1', parentHash: '0x0', timestampSecs: 1n } as const

const ask = quoteLens.abi.find((item) => item.type === 'function' && item.name === 'ask')
if (ask?.type !== 'function') throw new Error('quoters are asked')
const askSelector = toFunctionSelector(ask)

type Trial = {
  readonly holders: readonly Address[]
  readonly tokenIn: Address
  readonly amountIn: bigint
  readonly executor: Address
  readonly least: bigint
  readonly data: Hex
}

const startMs = 10_000_000

/** Probes on a clock, whose trials come to what they are told. */
function createStand({ taxBps = 0, taxOutBps = 0, pools = records, hasExecutor = true } = {}) {
  const clock = { ms: startMs }
  const trials: Trial[] = []
  const says = { verdict: 1, paid: 0n, quoted: 0n, isMute: false, isAway: false, questions: 0 }
  const taxOf = (token: string) =>
    new Map<string, number>([
      [tokenIn, taxBps],
      [tokenOut, taxOutBps],
    ]).get(token) ?? 0
  const state = createSyncedState({ taxOf }, { head, records: pools })
  const request = async ({ params }: { readonly params: readonly unknown[] }) => {
    const [{ data, gasPrice }, block] = params as [{ data: Hex; gasPrice?: Hex }, Hex]
    if (data.startsWith(askSelector)) {
      says.questions += 1
      const result = [says.isMute ? '0x' : pad(toHex(says.quoted), { size: 32 })] as const
      return encodeFunctionResult({ abi: quoteLens.abi, functionName: 'ask', result })
    }
    assert.equal([block, gasPrice], ['0x9', '0xe'])
    const { args } = decodeFunctionData({ abi: probeLens.abi, data })
    trials.push((args as unknown as readonly [Trial])[0])
    if (says.isAway) throw new Error('the node is away')
    return encodeFunctionResult({
      abi: probeLens.abi,
      functionName: 'probe',
      result: [says.verdict, says.paid],
    })
  }
  const probes = createPoolProbes({
    client: createClient({
      chain: toViemChain(base),
      transport: custom({ request }, { retryCount: 0 }),
    }),
    executor: hasExecutor ? executor : undefined,
    current: () => state,
    gasPriceWei: () => 7n,
    // Nothing is taxed where nobody says so.
    taxOf: taxBps + taxOutBps > 0 ? taxOf : undefined,
    now: () => clock.ms,
  })
  /** Whether a route through these pools has one that refuses. */
  const use = (...places: readonly number[]) =>
    probes.hasRefusing({
      steps: places.map((n) => ({ poolId: idOf(n), tokenIn, tokenOut })),
    })
  return { clock, trials, says, probes, use, state }
}
/** What a pair of equal reserves pays for an amount, as its router has it. */
const paidFor = (amountIn: bigint, reserve: bigint) =>
  (amountIn * 997n * reserve) / (reserve * 1_000n + amountIn * 997n)

s('are learned by a small swap of what others hold [teeth/probes]', async () => {
  const { trials, use, probes } = createStand()
  assert.equal([await use(1), probes.verdictOf(idOf(1))], [false, 'works'])
  const [trial] = trials
  if (!trial) throw new Error('nothing was tried')
  // Three others at most, the deepest first, and never the pool itself.
  assert.equal(
    trial.holders,
    [0, 2, 3].map((n) => getAddress(idOf(n))),
  )
  assert.equal([trial.tokenIn, trial.executor], [getAddress(tokenIn), getAddress(executor)])
  // A hundred thousandth of what moves the price to a ninth.
  const part = Number(trial.amountIn) / ((2 * Number(reserveOf(1)) * 1e-5) / 0.997)
  assert.ok(part > 0.999_999 && part < 1.000_001, `${trial.amountIn}`)
  const out = paidFor(trial.amountIn, reserveOf(1))
  assert.is(trial.least, (out * 9_990n) / 10_000n - 2n)
})
s('have to pay what is left of it after taxes, as they are measured [teeth/probes]', async () => {
  const less = (amount: bigint, taxBps: bigint) => amount - (amount * taxBps) / 10_000n
  // To the executor, and to the pool; and two more basis points for what is measured by them.
  for (const taxBps of [1n, 100n]) {
    const { trials, use } = createStand({ taxBps: Number(taxBps) })
    await use(1)
    const { amountIn = 0n, least } = trials[0] ?? {}
    const arriving = less(less(amountIn, taxBps), taxBps)
    assert.is(least, (paidFor(arriving, reserveOf(1)) * 9_988n) / 10_000n - 2n)
  }
  const { trials, use } = createStand({ taxBps: 100, taxOutBps: 200 })
  await use(1)
  const { amountIn = 0n, least } = trials[0] ?? {}
  const out = paidFor(less(less(amountIn, 100n), 100n), reserveOf(1))
  assert.is(least, (less(less(out, 200n), 200n) * 9_986n) / 10_000n - 2n)
})
s('are swapped through for nobody, whatever comes and however late [teeth/probes]', async () => {
  const { trials, use } = createStand()
  await use(1)
  const { data = '0x', amountIn } = trials[0] ?? {}
  const { functionName, args } = decodeFunctionData({ abi: swapExecutor.abi, data })
  if (functionName !== 'swap') throw new Error(functionName)
  const [asked, steps] = args
  assert.equal([asked.amountIn, asked.minAmountOut, asked.deadline], [amountIn, 0n, 1n << 64n])
  assert.equal(
    [asked.tokenIn, asked.tokenOut].map((one) => one.toLowerCase()),
    [tokenIn, tokenOut],
  )
  assert.equal(
    steps.map(({ pool: through, share }) => [through, share]),
    [[getAddress(idOf(1)), 1n << 64n]],
  )
})
s(
  'are tried with more where little buys dust, and not where nothing buys more [teeth/probes]',
  async () => {
    const small = createStand({ pools: [pool(0, 10n ** 7n), pool(1, 10n ** 7n)] })
    await small.use(1)
    const { amountIn = 0n } = small.trials[0] ?? {}
    assert.is(amountIn, 20_060n)
    // A thousand units is what is worth a try.
    for (const [reserve, tried] of [
      [50_060_000n, 1_004n],
      [50_010_000n, 100_320n],
    ] as const) {
      const { use, trials } = createStand({ pools: [pool(0, reserve), pool(1, reserve)] })
      await use(1)
      assert.is(trials[0]?.amountIn, tried)
    }
    const dust = createStand({ pools: [pool(0, 10n ** 5n), pool(1, 10n ** 5n)] })
    assert.equal([await dust.use(1), dust.trials.length], [false, 0])
    assert.is(dust.probes.verdictOf(idOf(1)), 'unknown')
    const alone = createStand({ pools: [pool(1, e24)] })
    assert.equal([await alone.use(1), alone.trials.length], [false, 0], 'nobody else holds it')
  },
)
s(
  'are believed for ten minutes, one, or five, as they work, refuse, or nobody knows [teeth/probes]',
  async () => {
    for (const [verdict, lifeMs, refuses] of [
      [1, 600_000, false],
      [2, 60_000, true],
      [0, 300_000, false],
    ] as const) {
      const { clock, trials, says, use } = createStand()
      says.verdict = verdict
      assert.is(await use(1), refuses)
      clock.ms = startMs + lifeMs - 1
      assert.equal([await use(1), trials.length], [refuses, 1])
      clock.ms = startMs + lifeMs
      assert.equal([await use(1), trials.length], [refuses, 2], `${verdict}`)
    }
  },
)
s(
  'are closed in markets while they refuse, and until they are forgiven [teeth/probes]',
  async () => {
    const { clock, says, use, probes, state } = createStand()
    const isOpen = (n: number) =>
      poolOf(probes.usable(state.market), idOf(n))?.curve(0, 1) !== undefined
    assert.is(probes.usable(state.market), state.market)
    says.verdict = 2
    assert.is(await use(1, 2), true)
    assert.equal([isOpen(0), isOpen(1), isOpen(2)], [true, false, false])
    assert.is(probes.usable(state.market), probes.usable(state.market), 'made once')
    says.verdict = 1
    probes.doubt([idOf(2)])
    assert.is(await use(2), false)
    assert.equal([isOpen(1), isOpen(2)], [false, true])
    clock.ms = startMs + 59_999
    assert.is(isOpen(1), false)
    clock.ms = startMs + 60_000
    assert.equal([isOpen(1), probes.verdictOf(idOf(1))], [true, undefined])
  },
)
const none = Array.from({ length: gridSize }, () => 0n)
const grid = [...none, ...listGrid(e24), ...listGrid(e24), ...none]
const quoted = {
  ...pool(1, e24),
  protocol: 'woofi',
  quoter: executor,
  native: [false, false],
  held: [e24, e24],
  amounts: grid,
  outputs: grid,
} as unknown as PairRecord

s('of a quoter have to pay what it says, less what may be skimmed [teeth/probes]', async () => {
  const { says, use, probes, trials, clock } = createStand({ pools: [pool(0, e24), quoted] })
  says.quoted = 10n ** 20n
  const least = (says.quoted * 9_990n) / 10_000n - 2n
  for (const [paid, refuses] of [
    [least, false],
    [least - 1n, true],
  ] as const) {
    clock.ms += 600_000
    says.paid = paid
    assert.is(await use(1), refuses, `${paid}`)
  }
  // Its samples promise nothing: the quoter of the very block does.
  assert.equal([trials.length, trials[0]?.least], [2, 1n])
  assert.is(probes.verdictOf(idOf(1)), 'refuses')
})
s(
  'are tried once for all who ask meanwhile, and again where a dry run fell [teeth/probes]',
  async () => {
    const { trials, use, probes } = createStand()
    assert.equal(await Promise.all([use(1), use(1, 2), use(2, 1, 2)]), [false, false, false])
    assert.is(trials.length, 2)
    probes.doubt([idOf(1), 'nobody'])
    await use(1, 2)
    assert.is(trials.length, 3)
  },
)
s(
  'are unknown where the node is away, and none is tried without an executor [teeth/probes]',
  async () => {
    const { says, use, probes } = createStand()
    says.isAway = true
    assert.equal([await use(1), probes.verdictOf(idOf(1))], [false, 'unknown'])
    const none = createStand({ hasExecutor: false })
    assert.equal([await none.use(1), none.trials.length], [false, 0])
    assert.is(none.probes.verdictOf(idOf(1)), undefined)
  },
)
s(
  'of a quoter are held to what it says alone, and others asked nothing [teeth/probes]',
  async () => {
    const tryWith = async (own: object, ...places: readonly number[]) => {
      const { says, use, probes } = createStand({ pools: [pool(0, e24), quoted] })
      Object.assign(says, { quoted: 10n ** 20n }, own)
      await use(...places)
      return [...places.map((n) => probes.verdictOf(idOf(n))), says.questions]
    }
    assert.equal(await tryWith({}, 0, 1), ['works', 'refuses', 1])
    assert.equal(await tryWith({}, 0), ['works', 0])
    // Where nobody could try it, and where its quoter says nothing.
    assert.equal(await tryWith({ verdict: 0 }, 1), ['unknown', 1])
    assert.equal(await tryWith({ isMute: true }, 1), ['works', 1])
    assert.equal(await tryWith({ quoted: 1n }, 1), ['refuses', 1])
    assert.equal(await tryWith({ quoted: 1n, paid: 1n }, 1), ['works', 1])
  },
)
s('are closed as they come to refuse, wherever they are [teeth/probes]', async () => {
  const { says, use, probes, state } = createStand()
  const isOpen = (n: number) =>
    poolOf(probes.usable(state.market), idOf(n))?.curve(0, 1) !== undefined
  says.verdict = 2
  await use(1)
  assert.equal([isOpen(0), isOpen(1)], [true, false])
  await use(0)
  assert.equal([isOpen(0), isOpen(1), isOpen(2)], [false, false, true])
  const none = createMarket([])
  assert.is(probes.usable(none), none)
  // What is not believed any more is no reason to leave it out.
  probes.doubt([idOf(1)])
  assert.equal([isOpen(0), isOpen(1)], [false, true])
})
s('are not known before there is a state [teeth/probes]', async () => {
  const probes = createPoolProbes({
    client: {} as Client<Transport, Chain>,
    executor,
    current: () => undefined,
    gasPriceWei: () => 0n,
    now: () => 0,
  })
  assert.is(await probes.hasRefusing({ steps: [{ poolId: 'a', tokenIn, tokenOut }] }), false)
  assert.is(probes.verdictOf('a'), undefined)
})
s.run()
