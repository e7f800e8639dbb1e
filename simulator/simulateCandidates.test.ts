import { mock } from 'node:test'
import {
  type Address,
  concat,
  getAddress,
  type Hex,
  hexToBigInt,
  pad,
  toHex,
  zeroAddress,
} from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import type { SlotVerdict } from './balanceSlot/findBalanceSlot.ts'
import type { Candidate } from './buildBundle.ts'
import { apartUnavailable, chainUnreachable } from './classifyOutcome.ts'
import type { TokenKind } from './codelessTokens.ts'
import type { Whale } from './findWhales.ts'
import { RpcTransportError } from './rpc/rpcBatch.ts'
import type { SlowLane } from './slowLane.ts'
import { addressOf, refused, reverted, told, word } from './testing/answers.ts'
import {
  fails,
  gives,
  hungry,
  other,
  type Play,
  simulate,
  swap,
  taker,
} from './testing/simulate.ts'

/** What a request asks of the forks, which answer what a row of a test says. */
const s = suite('simulateCandidates')
s.after.each(() => mock.restoreAll())
/** A view of a stranger's token. */
const holding = {
  contract: addressOf('b'),
  data: '0x05',
  loss: 'rise',
  sentence: 'is told',
} as const
const ok = (amountOut: bigint, gasUsed = 21_000n) => ({ status: 'ok', amountOut, gasUsed })
const failed = (reason: string) => ({ status: 'simulation_failed', reason })
const unavailable = (cause: string, reason: string) => ({
  status: 'simulation_unavailable',
  cause,
  reason,
})
const plain = failed('execution reverted without a reason')
const unfunded = unavailable('slot_not_found', 'balance slot not found')

s('reads nothing ahead of a suspect beside everybody else [attack/suspects-ahead]', async () => {
  const bomb: Candidate = { ...swap, funding: 'real', holdings: [holding] }
  const { results, batches } = await simulate({
    candidates: [bomb],
    apart: 'none',
    suspected: [bomb],
  })
  assert.equal([results, batches], [[apartUnavailable], []])
})
s('reads what several watch once, before they run [teeth/dry-runs]', async () => {
  const watching = { ...swap, holdings: [holding, { ...holding, data: '0x06' as const }] }
  const { batches } = await simulate({
    candidates: [watching, { ...watching, amountIn: 7n }, swap],
  })
  const [first = []] = batches
  assert.equal(
    first.map(({ params: [call] }) => (call as { readonly data: Hex }).data),
    ['0x05', '0x06'],
  )
})
s('answers in the order of the candidates, each by itself [teeth/dry-runs]', async () => {
  const { results, bundles } = await simulate({
    candidates: [swap, other, swap],
    play: ({ swap: { to } }) => (to === other.target ? fails : gives(20n)),
    nowMs: 2_000_999,
  })
  assert.equal(results, [ok(20n), plain, ok(20n)])
  assert.equal(
    bundles.map(({ time, swap: { from, gas } }) => [time, from, gas]),
    Array.from({ length: 3 }, () => [toHex(2_000), taker, toHex(2_000_000n)]),
  )
  const early = await simulate({ nowMs: 999_000, candidates: [{ ...swap, taker: addressOf('8') }] })
  assert.equal(
    [early.bundles[0]?.time, early.bundles[0]?.swap.from],
    [toHex(1_000), addressOf('8')],
  )
  assert.equal((await simulate({ candidates: [] })).results, [])
})
s('looks for the balance again where it was another one, once [teeth/dry-runs-funds]', async () => {
  const mended = await simulate({ play: (_, nth) => (nth === 1 ? { held: 1n } : gives(20n)) })
  assert.equal([mended.results, mended.bundles.length], [[ok(20n)], 2])
  assert.equal(mended.forgotten, [{ token: swap.tokenIn, holder: taker }])
  const still = await simulate({ play: () => ({ held: 1n }) })
  assert.equal([still.results, still.bundles.length], [[unfunded], 2])
  const refusal = await simulate({ verdict: { status: 'rpc_error' } })
  assert.equal([refusal.results, refusal.bundles], [[chainUnreachable], []])
})

const [whale, second] = ['6', '7'].map(
  (digit): Whale => ({ holder: getAddress(addressOf(digit)), balance: 900n }),
)
const whales = whale && second ? [whale, second] : []
const verdict: SlotVerdict = { status: 'not_found' }
s('has somebody else pay where it failed, once [teeth/dry-runs-payer]', async () => {
  const payers = whales.map(({ holder }) => [holder])
  const play: Play = (_, nth) => (nth === 1 ? fails : gives(20n))
  const paid = await simulate({ verdict, whales, play })
  assert.equal([paid.results, paid.paidBy], [[ok(20n)], payers])
  const both = await simulate({ verdict, whales, play: () => fails })
  assert.equal([both.results, both.paidBy], [[plain], payers])
  const alone = await simulate({ verdict, whales: whales.slice(0, 1), play: () => fails })
  assert.equal([alone.results, alone.paidBy], [[plain], payers.slice(0, 1)])
  // Nobody paid, so that nobody else need.
  assert.equal((await simulate({ play: () => fails })).bundles.length, 1)
  const good = await simulate({ verdict, whales })
  assert.equal([good.results, good.bundles.length], [[ok(20n)], 1])
})
s(
  'watches whom the calldata names where the taker got nothing [teeth/dry-runs-named]',
  async () => {
    const named = addressOf('5')
    const pays: Candidate = { ...swap, data: concat(['0x01020304', pad(named, { size: 32 })]) }
    const play: Play = ({ holders }) => ({ held: 100n, gains: holders > 1 ? [0n, 9n] : [] })
    const widened = await simulate({ candidates: [pays], play })
    assert.equal(
      [widened.results, widened.bundles.map(({ holders }) => holders)],
      [[ok(9n)], [1, 2]],
    )
    for (const candidate of [swap, { ...pays, recipient: addressOf('4') }]) {
      const none = await simulate({ candidates: [candidate], play })
      assert.equal([none.results, none.bundles.length], [[failed('no output received')], 1])
    }
    const recipient = await simulate({ candidates: [{ ...pays, recipient: addressOf('4') }] })
    assert.equal(recipient.results, [ok(20n)])
  },
)
s('says so where nothing happened since nothing is there [teeth/dry-runs-named]', async () => {
  const play: Play = ({ swap: { to } }) => (to === other.target ? gives(20n) : { held: 100n })
  const candidates = [other, swap]
  const { results } = await simulate({ candidates, play, code: '0x' })
  assert.equal(results, [ok(20n), failed('target has no code')])
  assert.equal((await simulate({ candidates, play })).results, [
    ok(20n),
    failed('no output received'),
  ])
})
s(
  'runs what needs more gas on the fork for such, and suspects it [teeth/dry-runs-apart]',
  async () => {
    const apart: Play = () => ({ ...gives(20n), swap: { gasUsed: toHex(2_000_001n) } })
    const { results, ofSlow, suspects, slowForks } = await simulate({
      candidates: [swap, other],
      play: ({ swap: { to } }) => (to === swap.target ? hungry : gives(7n)),
      apart,
    })
    assert.equal(results, [ok(20n, 2_000_001n), ok(7n)])
    assert.equal([ofSlow.length, ofSlow[0]?.swap.gas], [1, toHex(25_000_000n)])
    assert.equal([suspects.has(swap), suspects.has(other), slowForks > 0], [true, false, true])
    const never = await simulate({
      play: () => hungry,
      apart: () => ({ held: 100n, swap: reverted('0x', toHex(25_000_000n)) }),
    })
    assert.equal(never.results, [failed('gas cap exceeded')])
    assert.is((await simulate()).slowForks, 0)
  },
)
s('suspects nobody any more who runs like a swap there [teeth/dry-runs-apart]', async () => {
  const run = async (gasUsed: bigint) => {
    const apart: Play = () => ({ ...gives(20n), swap: { gasUsed: toHex(gasUsed) } })
    const { suspects, bundles } = await simulate({ suspected: [swap], apart })
    assert.equal(bundles, [])
    return suspects.has(swap)
  }
  assert.equal([await run(2_000_000n), await run(2_000_001n)], [false, true])
  const failing = await simulate({ suspected: [swap], apart: () => fails })
  assert.equal([failing.results, failing.suspects.has(swap)], [[plain], true])
})
s('says what came of one that did not end, or said too much [teeth/dry-runs-spoilt]', async () => {
  for (const [fault, isChainAnswering, result, condemned] of [
    ['timeout', true, unavailable('unsupported', 'simulation timed out'), 1],
    ['timeout', false, unavailable('rpc_error', 'simulation timed out'), 1],
    ['too_large', true, failed('return data too large'), 0],
  ] as const) {
    const spoilt = await simulate({ play: () => fault, isChainAnswering })
    assert.equal([spoilt.results, spoilt.condemned], [[result], condemned])
    assert.equal([spoilt.suspects.has(swap), spoilt.slowForks], [true, 0])
  }
})
s('tries once more on a new fork where that for suspects ends [teeth/dry-runs-ended]', async () => {
  const suspected = [swap]
  const apart: Play = (_, nth) => (nth === 1 ? 'connection' : gives(20n))
  assert.equal((await simulate({ suspected, apart })).results, [ok(20n)])
  const gone = await simulate({ suspected, apart: () => 'connection' })
  assert.equal([gone.results, gone.ofSlow.length], [[apartUnavailable], 2])
  // The chain's trouble is nobody's own.
  for (const given of [{ apart: () => 'connection' as const }, { apart: 'none' as const }])
    assert.equal((await simulate({ suspected, ...given, isChainAnswering: false })).results, [
      chainUnreachable,
    ])
  // What does not end there is ended with it, and with nothing else.
  const stuck = await simulate({ suspected, apart: () => 'timeout' })
  assert.equal(stuck.results, [unavailable('unsupported', 'simulation timed out')])
  assert.equal([stuck.condemned, stuck.kills.reduce((sum, kills) => sum + kills, 0)], [0, 1])
  const signal = AbortSignal.abort()
  const thrown = await simulate({ suspected, signal, apart: () => 'aborted' }).catch(
    (error: unknown) => error,
  )
  assert.is(thrown instanceof RpcTransportError && thrown.fault, 'aborted')
})
s('says of whoever has no turn there in time that it was not run [attack/apart-turn]', async () => {
  let nowMs = 0
  mock.method(performance, 'now', () => nowMs)
  const slowLane: SlowLane = (work) => {
    nowMs += 2_000
    return work()
  }
  const suspect = await simulate({ suspected: [swap], slowLane })
  const dear = await simulate({ play: () => hungry, slowLane })
  for (const { results, ofSlow } of [suspect, dear])
    assert.equal([results, ofSlow], [[apartUnavailable], []])
  const away = await simulate({ suspected: [swap], slowLane, isChainAnswering: false })
  assert.equal(away.results, [chainUnreachable])
})
s("runs what no fork has on the chain's own node [teeth/dry-runs-chain]", async () => {
  const onlyOf =
    (token: Address) =>
    (asked: Address): TokenKind =>
      asked === token ? 'codeless' : 'other'
  const { results, bundles, ofChain } = await simulate({
    candidates: [swap, { ...swap, tokenOut: addressOf('2') }],
    kindOf: onlyOf(addressOf('2')),
    onChain: () => gives(9n),
  })
  assert.equal([results, bundles.length, ofChain.length], [[ok(20n), ok(9n)], 1, 1])
  assert.equal(ofChain[0]?.params.at(-1), '0x11')
  // Nobody can say what it is.
  const silent = await simulate({ kindOf: () => 'silent' })
  assert.equal([silent.results, silent.bundles], [[chainUnreachable], []])
  // Somebody rich pays for what lies in no slot, as of the node.
  const paid = await simulate({ kindOf: onlyOf(swap.tokenIn), whales, onChain: () => gives(8n) })
  assert.equal(paid.results, [ok(8n)])
  const native = { ...swap, tokenIn: zeroAddress }
  const bought = await simulate({ candidates: [native], kindOf: onlyOf(swap.tokenOut) })
  assert.equal(bought.results, [ok(20n)])
})
s(
  "asks the chain's node where the way leads through what no fork has [teeth/dry-runs-chain]",
  async () => {
    const way = getAddress(addressOf('2'))
    const leading: Candidate = { ...swap, data: concat(['0x01020304', pad(way, { size: 32 })]) }
    const kindOf = (token: Address): TokenKind => (token === way ? 'codeless' : 'other')
    const through = await simulate({
      candidates: [leading, swap],
      kindOf,
      play: () => fails,
      onChain: () => gives(9n),
    })
    assert.equal([through.results, through.ofChain.length], [[ok(9n), plain], 1])
    const fine = await simulate({ candidates: [leading], kindOf })
    assert.equal([fine.results, fine.ofChain.length], [[ok(20n)], 0])
  },
)
s(
  'gives a disguise one chance, and none without a block to be of [teeth/dry-runs-disguised]',
  async () => {
    const disguise = { gas: 300_000n, gasPriceWei: 9n, blocksAhead: 0, blockTimeMs: 2_000 }
    const dressed: Candidate = { ...swap, disguise }
    const header = told({ hash: word(1n), gasLimit: '0x1', miner: addressOf('9') })
    const good = await simulate({ candidates: [dressed], header, suspected: [dressed] })
    assert.equal([good.results, good.bundles[0]?.validation], [[ok(20n)], true])
    assert.is(hexToBigInt(good.bundles[0]?.swap.gas ?? '0x0'), 300_000n)
    assert.equal((await simulate({ candidates: [dressed] })).results, [chainUnreachable])
    const poor = { held: 100n, swap: reverted('0x', toHex(300_000n)) }
    const hungryOne = await simulate({ candidates: [dressed], header, play: () => poor })
    assert.equal([hungryOne.results, hungryOne.slowForks], [[failed('gas cap exceeded')], 0])
    assert.not.ok(hungryOne.suspects.has(dressed))
    const unpaid = await simulate({
      candidates: [dressed],
      header,
      verdict,
      whales,
      play: () => fails,
    })
    assert.equal([unpaid.results, unpaid.bundles.length], [[plain], 1])
    assert.is(
      (await simulate({ play: () => refused('busy', -32602) })).results[0]?.status,
      'simulation_unavailable',
    )
  },
)
s('has so long for all of it, and for what runs apart [teeth/dry-runs]', async () => {
  let nowMs = 0
  mock.method(performance, 'now', () => nowMs)
  /** Where the first run takes so long. */
  const first =
    (tookMs: number, then: ReturnType<Play>): Play =>
    (_, nth) => {
      if (nth > 1) return gives(20n)
      nowMs += tookMs
      return then
    }
  const late = unavailable('unsupported', 'simulation timed out')
  const again = async (tookMs: number) =>
    (await simulate({ play: first(tookMs, { held: 1n }) })).results
  assert.equal([await again(5_499), await again(5_500)], [[ok(20n)], [late]])
  const candidates = [swap, other]
  const apart = async (tookMs: number) => {
    const given = { candidates, suspected: candidates, apart: first(tookMs, gives(20n)) }
    return (await simulate(given)).results
  }
  assert.equal(await apart(1_999), [ok(20n), ok(20n)])
  assert.equal(await apart(2_000), [ok(20n), apartUnavailable])
  // What is left of the one is the most that there is for the other.
  const both = await simulate({
    candidates,
    play: first(5_000, hungry),
    apart: first(500, gives(20n)),
  })
  assert.equal(both.results, [ok(20n), ok(20n)])
  const hungryBoth: Play = (_, nth) => {
    if (nth === 1) nowMs += 5_000
    return hungry
  }
  const short = await simulate({ candidates, play: hungryBoth, apart: first(500, gives(20n)) })
  assert.equal(short.results, [ok(20n), apartUnavailable])
})
s.run()
