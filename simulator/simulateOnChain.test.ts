import { type Address, concat, getAddress, pad, toHex, zeroAddress } from 'viem'
import { createStandInFork } from '../fixtures/anvil/standInFork.ts'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import type { Whale } from './findWhales.ts'
import { createErrorTable } from './revertReason.ts'
import { type RpcCall, type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'
import { gasPot, shareGasPot, simulateOnChain, tokensOf } from './simulateOnChain.ts'
import { addressOf, refused, reverted, told, word } from './testing/answers.ts'
import {
  type AskedBundle,
  type Performance,
  performBundle,
  readAsked,
} from './testing/performBundle.ts'
import { generationOf, plainSlot, plainSwap } from './testing/plainSwap.ts'
import type { Entrant } from './turnstile.ts'

const s = suite('a dry run on the chain')
const asking = (...gas: readonly bigint[]) =>
  gas.map((each) => ({ from: zeroAddress, to: zeroAddress, data: '0x' as const, gas: toHex(each) }))
const gasOf = (calls: ReturnType<typeof shareGasPot>) => calls.map(({ gas }) => BigInt(gas))

s('leaves calls as they are that fit the pot together', () => {
  assert.is(gasPot, 50_000_000n)
  const calls = asking(gasPot - 1n, 1n)
  assert.is(shareGasPot(calls), calls)
})
s('gives each call its part of the pot, so that the last one has its own [21/gas-pot]', () => {
  const shared = gasOf(shareGasPot(asking(80_000_000n, 10_000_000n, 10_000_000n)))
  assert.equal(shared, [40_000_000n, 5_000_000n, 5_000_000n])
})
s('moves what is no native currency [teeth/on-chain-runs]', () => {
  assert.equal(tokensOf({ ...swap, tokenIn: zeroAddress }), [swap.tokenOut])
  assert.equal(tokensOf(swap), [swap.tokenIn, swap.tokenOut])
})

const taker = addressOf('d')
const entrant: Entrant = { caller: 'somebody' }
const swap = plainSwap
const whaleOf = (digit: string): Whale => ({ holder: getAddress(addressOf(digit)), balance: 900n })
const whales = [whaleOf('6'), whaleOf('7')]
const gives = (amount: bigint): Performance => ({ held: 100n, gains: [amount] })
const fails: Performance = { held: 100n, swap: reverted() }

type Given = {
  readonly change?: Partial<Candidate>
  readonly play?: (asked: AskedBundle, nth: number) => Performance | RpcOutcome | Error
  readonly holders?: readonly Whale[]
  readonly isInputCodeless?: boolean
  readonly timeSecs?: bigint
}
async function simulate({
  change,
  play = () => gives(20n),
  holders = whales,
  isInputCodeless = true,
  timeSecs = 2_000n,
}: Given = {}) {
  const bundles: AskedBundle[] = []
  const sent: RpcCall[] = []
  const asked: object[] = []
  const { fork } = createStandInFork()
  const generation = generationOf(fork)
  const result = await simulateOnChain(
    {
      upstream: {
        async sendApart(calls, by) {
          assert.is(by, entrant)
          sent.push(...calls)
          return calls.map((call) => {
            if (call.method === 'eth_call') return told(word(900n))
            const bundle = readAsked(call)
            bundles.push(bundle)
            const played = play(bundle, bundles.length)
            if (played instanceof Error) throw played
            return 'ok' in played ? played : performBundle(bundle, played)
          })
        },
      },
      slots: {
        async resolve(request) {
          asked.push(request)
          return plainSlot
        },
        invalidate: () => undefined,
      },
      async findWhales({ rpc, token, blockNumber, most, entrant: by }) {
        asked.push({ token, blockNumber, most, by })
        await rpc.batch([{ method: 'eth_call', params: [{}, 'latest'] }], { timeoutMs: 1 })
        return holders
      },
      errors: createErrorTable([]),
    },
    {
      candidate: { ...swap, ...change },
      taker,
      generation,
      timeSecs,
      entrant,
      isInputCodeless,
    },
  )
  const paidBy = bundles.map(({ prelude }) => prelude.map(({ from }) => from))
  return { result, bundles, sent, asked, paidBy }
}
const resultOf = async (given: Given) => (await simulate(given)).result
const ok = (amountOut: bigint) => ({ status: 'ok', amountOut, gasUsed: 21_000n })
const failed = (reason: string) => ({ status: 'simulation_failed', reason })
const plain = failed('execution reverted without a reason')
const unavailable = (cause: string, what: string) => ({
  status: 'simulation_unavailable',
  cause,
  reason: `a token without code, ${what}`,
})
const payers = whales.map(({ holder }) => [holder])

s(
  "asks the node as of the fork's block, in the name of who waits [teeth/on-chain-runs]",
  async () => {
    const { result, sent, bundles, asked, paidBy } = await simulate()
    assert.equal([result, paidBy], [ok(20n), payers.slice(0, 1)])
    assert.equal(asked, [{ token: swap.tokenIn, blockNumber: 17n, most: 8, by: entrant }])
    assert.equal(
      sent.map(({ method, params }) => [method, params.at(-1)]),
      [
        ['eth_call', '0x11'],
        ['eth_simulateV1', '0x11'],
      ],
    )
    const [bundle] = bundles
    assert.equal([bundle?.time, bundle?.swap.gas], [toHex(2_000), toHex(8_000_000n)])
    // The node has its precompiles itself.
    assert.not.ok(Object.hasOwn(bundle?.overrides ?? {}, addressOf('0')))
  },
)
s("takes place after the fork's block, whatever the clock says [teeth/on-chain-runs]", async () => {
  for (const [timeSecs, time] of [
    [999n, 1_001],
    [1_000n, 1_001],
    [1_001n, 1_001],
    [1_002n, 1_002],
  ] as const)
    assert.is((await simulate({ timeSecs })).bundles[0]?.time, toHex(time))
})
s(
  'writes a balance that lies in a slot, and leaves a real one [teeth/on-chain-funds]',
  async () => {
    const written = await simulate({ isInputCodeless: false })
    assert.equal([written.result, written.paidBy], [ok(20n), [[]]])
    assert.equal(written.bundles[0]?.overrides[swap.tokenIn], {
      stateDiff: { [word(1n)]: word(100n) },
    })
    const real = await simulate({ change: { funding: 'real' } })
    assert.equal([real.result, real.paidBy, real.asked], [ok(20n), [[]], []])
  },
)
s('has somebody else pay where it failed, once [teeth/on-chain-funds]', async () => {
  const paid = await simulate({ play: (_, nth) => (nth === 1 ? fails : gives(7n)) })
  assert.equal([paid.result, paid.paidBy], [ok(7n), payers])
  const both = await simulate({ play: () => fails })
  assert.equal([both.result, both.paidBy], [plain, payers])
  const alone = await simulate({ holders: whales.slice(0, 1), play: () => fails })
  assert.equal([alone.result, alone.paidBy.length], [plain, 1])
  const unpaid = await simulate({ isInputCodeless: false, play: () => fails })
  assert.equal([unpaid.result, unpaid.paidBy.length], [plain, 1])
  const none = await simulate({ holders: [] })
  assert.equal(
    [none.result, none.bundles],
    [
      {
        status: 'simulation_unavailable',
        cause: 'slot_not_found',
        reason: 'balance slot not found',
      },
      [],
    ],
  )
  // What a node could not run is no reason for another payer.
  assert.is((await simulate({ play: () => refused('busy') })).bundles.length, 1)
})
s(
  'watches whom the calldata names where the taker got nothing [teeth/on-chain-funds]',
  async () => {
    const change = { data: concat(['0x01020304', pad(addressOf('5'), { size: 32 })]) }
    const play = ({ holders }: AskedBundle): Performance => ({
      held: 100n,
      gains: holders > 1 ? [0n, 9n] : [],
    })
    const holdersOf = ({ bundles }: { readonly bundles: readonly AskedBundle[] }) =>
      bundles.map(({ holders }) => holders)
    const widened = await simulate({ change, play })
    assert.equal([widened.result, holdersOf(widened)], [ok(9n), [1, 2]])
    const none = failed('no output received')
    const bare = await simulate({ play, holders: whales.slice(0, 1) })
    assert.equal([bare.result, holdersOf(bare)], [none, [1]])
    const recipient: Address = addressOf('4')
    const paying = await simulate({
      change: { ...change, recipient },
      play,
      holders: whales.slice(0, 1),
    })
    assert.equal([paying.result, holdersOf(paying)], [none, [1]])
  },
)
s('takes nothing that a node says of itself for a verdict [teeth/on-chain-none]', async () => {
  const answering = (answer: RpcOutcome | Error) => resultOf({ play: () => answer })
  const node = (cause: string, what: string) => unavailable(cause, `and the chain's node ${what}`)
  assert.equal(
    await answering(refused('no such method', -32601)),
    node('unsupported', 'has no eth_simulateV1'),
  )
  for (const code of [-32000, -32003, -32603])
    assert.equal(
      await answering(refused('EVM error', code)),
      node('rpc_error', 'refused the simulation'),
    )
  assert.equal(
    await answering(new RpcTransportError('timeout')),
    node('rpc_error', 'did not answer in time'),
  )
  const mistake = new RangeError('a mistake of ours')
  assert.is(await answering(mistake).catch((error: unknown) => error), mistake)
  // More than there is for it, be that all or its part.
  const dear = { held: 100n, swap: reverted('0x', toHex(8_000_000n)) }
  assert.equal(await resultOf({ play: () => dear }), node('unsupported', 'gives no more gas'))
})
s('reaches no disguise [teeth/on-chain-none]', async () => {
  const disguise = { gas: 1n, gasPriceWei: 1n, blocksAhead: 0, blockTimeMs: 1 }
  const { result, sent } = await simulate({ change: { disguise } })
  assert.equal([result, sent], [unavailable('unsupported', 'which no disguise reaches'), []])
})
s.run()
