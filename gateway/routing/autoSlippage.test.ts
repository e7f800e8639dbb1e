import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedStand } from '../bench/quote/generatedStand.ts'
import { generateTrades } from '../bench/routing/generateMarket.ts'
import { autoSlippage } from './autoSlippage.ts'
import { createPoolMoves } from './poolMoves.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import { advanceState, createSyncedState } from './sync/syncedState.ts'
import type { QuoteResponse } from './wire/quote.ts'

const id = '0x00000000000000000000000000000000000000aa'
const record: PairRecord = {
  id,
  address: id,
  dex: 'uniswap-v2',
  protocol: 'uniswap_v2',
  feePips: 3000,
  tokens: ['0xa', '0xb'],
  reserve0: 10n ** 24n,
  reserve1: 10n ** 24n,
  changedBlock: 0n,
  swapsSeen: 0,
  isFresh: [false, false],
}
const taxes = { taxOf: () => 0 }
const head = { number: 1n, hash: '0x', parentHash: '0x', timestampSecs: 0n } as const
const steps = [{ poolId: id, shareBps: 10_000 }]

/** A pool whose price goes up and down by `partBps` each 12 seconds, for so many minutes. */
function watch({ minutes, partBps }: { readonly minutes: number; readonly partBps: number }) {
  let nowMs = 0
  const moves = createPoolMoves({ now: () => nowMs })
  let state = createSyncedState(taxes, { head, records: [record] })
  moves.look(state)
  for (let step = 1; step <= minutes * 5; step += 1) {
    nowMs += 12_000
    const high = (record.reserve1 * BigInt(10_000 + partBps)) / 10_000n
    const changed = [{ ...record, reserve1: step % 2 === 0 ? record.reserve1 : high }]
    state = advanceState(taxes, { state, head, changed })
    moves.look(state)
  }
  const wait = (ms: number) => {
    nowMs += ms
    moves.look(state)
    return autoSlippage(moves, steps)
  }
  return { moves, wait }
}

const s = suite('autoSlippage')

s('is 10 bps and twice what the pools move in a minute [20/auto-slippage]', () => {
  const { moves } = watch({ minutes: 20, partBps: 20 })
  // Five moves of 20 bps a minute, each as likely up as down.
  const expected = 20 * Math.sqrt(5)
  const { bps, moveBps } = autoSlippage(moves, steps)
  assert.ok(Math.abs(moveBps / expected - 1) < 0.05, `${moveBps} for ${expected}`)
  assert.is(bps, Math.ceil(10 + 2 * moveBps))
  const half = autoSlippage(moves, [{ poolId: id, shareBps: 5_000 }])
  assert.ok(Math.abs(half.moveBps * 2 - moveBps) < 1e-9)
  assert.is(autoSlippage(moves, [{ poolId: 'still', shareBps: 10_000 }]).bps, 10)
})

s(
  'forgets what is long ago, stays within 10 and 150, and is careful at first [20/auto-slippage]',
  () => {
    const wild = watch({ minutes: 10, partBps: 2_000 })
    assert.is(autoSlippage(wild.moves, steps).bps, 150)
    const calm = watch({ minutes: 10, partBps: 20 })
    const before = autoSlippage(calm.moves, steps).bps
    assert.ok(calm.wait(15 * 60_000).bps < before / 2)
    assert.is(calm.wait(24 * 3_600_000).bps, 10)
    assert.is(autoSlippage(createPoolMoves({ now: () => 0 }), steps).bps, 50)
  },
)

s('stands in min_output and says how, at every endpoint [20/auto-slippage-wire]', async () => {
  const stand = createGeneratedStand({ pools: 60, tokens: 12, seed: 3 })
  const { chain, market } = stand
  const look = () => {
    const state = chain.sync.current()
    if (state) chain.moves.look(state)
  }
  look()
  stand.advance()
  look()
  const [trade] = generateTrades(market, 1).trades
  if (!trade) throw new Error('one was asked for')
  const pair = { chain_id: chain.chainId, token_in: trade.in, token_out: trade.out }
  const auto = { slippage_bps: 'auto' }
  const body = { ...pair, amount_in: String(trade.amount), ...auto }
  const exact = { ...pair, chain_id: String(chain.chainId), max_input: String(trade.amount) }
  const query = new URLSearchParams({ ...exact, target_output: '1000', ...auto })
  const legs = [{ token: trade.in, amount: String(trade.amount) }]
  const disposal = { chain_id: chain.chainId, target_token: trade.out, legs, ...auto }
  const answers = [
    await stand.get<QuoteResponse>('/quote', body),
    await stand.get<QuoteResponse>(`/quote_exact_output?${query}`),
    (await stand.get<{ legs: { quote: QuoteResponse }[] }>('/quote_lp_disposal', disposal)).legs[0]
      ?.quote,
  ]
  for (const answer of answers) {
    const { output = '', min_output, slippage_auto } = answer ?? {}
    // Looked at for less than a minute.
    assert.ok((slippage_auto?.bps ?? 0) >= 50)
    const part = 10_000n - BigInt(slippage_auto?.bps ?? 0)
    assert.is(BigInt(min_output ?? 0), (BigInt(output) * part) / 10_000n)
  }
  const said = await stand.get<QuoteResponse>('/quote', { ...body, slippage_bps: 7 })
  assert.is(said.slippage_auto, undefined)
  for (const wrong of ['Auto', '50', -1, 10_001, 1.5, null]) {
    const refused = await stand.refusalOf('/quote', { ...body, slippage_bps: wrong })
    assert.equal([refused.status, refused.details?.[0]?.field], [400, 'slippage_bps'])
  }
})

s('is at least the usual before a minute was looked at, and rounded up [teeth/auto]', () => {
  const auto = (observedMs: number, ...moves: readonly number[]) => {
    const shareBps = 10_000 / Math.max(1, moves.length)
    return autoSlippage(
      {
        look: () => undefined,
        observedMs: () => observedMs,
        bpsPerMinute: (poolId) => moves[Number(poolId)] ?? 0,
      },
      moves.map((_, n) => ({ poolId: `${n}`, shareBps })),
    )
  }
  assert.equal([auto(59_999, 19).bps, auto(59_999, 20.1).bps], [50, 51])
  assert.equal([auto(60_000).bps, auto(60_000, 19).bps, auto(60_000, 19.01).bps], [10, 48, 49])
  assert.equal([auto(60_000, 69.4).bps, auto(60_000, 71).bps], [149, 150])
  assert.equal(auto(60_000, 10, 30), { bps: 50, moveBps: 20, observedMs: 60_000 })
})

s.run()
