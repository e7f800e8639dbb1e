import { zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { Candidate, CandidateResult, Simulator } from '../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../simulator/simulatorUnavailable.ts'
import { tryDisguised, type Verification, verifyExecution } from './verifyExecution.ts'

const s = suite('verifyExecution')
const token = '0x000000000000000000000000000000000000000a'
const amountOut = 1_000_000n

/** What is said of a payload that delivers so much, simulated four blocks after the quote's state. */
function verify(delivered: bigint) {
  const simulateCandidates: Simulator['simulateCandidates'] = async () => ({
    blockNumber: 14n,
    blockHash: '0x',
    results: [{ status: 'ok', amountOut: delivered, gasUsed: 1n }],
  })
  return verifyExecution(
    { simulator: { simulateCandidates } as Simulator },
    {
      chainId: 8453,
      tokenIn: token,
      tokenOut: zeroAddress,
      amountIn: 1n,
      execution: { spender: token, target: token, data: '0x', value: 0n },
      amountOut,
      stateBlock: 10n,
    },
  )
}

s(
  'verifies what delivers the output less one basis point, and no less [routing/underdelivers]',
  async () => {
    const said = async (delivered: bigint) => {
      const { status, ...rest } = await verify(delivered)
      return [
        status,
        'deviationBps' in rest && rest.deviationBps,
        'blockLag' in rest && rest.blockLag,
      ]
    }
    assert.equal(await said(amountOut), ['verified', 0, 4])
    assert.equal(await said(999_900n), ['verified', 1, 4])
    assert.equal(await said(999_899n), ['mismatched', 1, 4])
    assert.equal(await said(500_000n), ['mismatched', 5_000, 4])
    assert.equal(await said(1_010_000n), ['verified', -100, 4])
  },
)

const [taker, router] = [
  '0x00000000000000000000000000000000000000aa',
  '0x00000000000000000000000000000000000000bb',
] as const
const own = { spender: router, target: router, data: '0x01', value: 0n } as const
const neutral = { ...own, data: '0x02' } as const
const question = {
  chainId: 8453,
  tokenIn: token,
  tokenOut: zeroAddress,
  amountIn: 8_000n,
  taker,
  execution: own,
  amountOut,
  stateBlock: 10n,
} as const
const delivered = (units: bigint): CandidateResult => ({
  status: 'ok',
  amountOut: units,
  gasUsed: 1n,
})
const reverted: CandidateResult = { status: 'simulation_failed', reason: 'it reverts' }
const away: CandidateResult = {
  status: 'simulation_unavailable',
  reason: 'away',
  cause: 'rpc_error',
}

/** A disguised try of which each run comes to another result. */
async function disguise(results: readonly CandidateResult[], changes: object = {}) {
  const sent: Candidate[] = []
  const simulateCandidates: Simulator['simulateCandidates'] = async ({ candidates }) => {
    sent.push(...candidates)
    return { blockNumber: 12n, blockHash: '0x', results }
  }
  const trial = await tryDisguised(
    { simulator: { simulateCandidates } as Simulator },
    {
      ...question,
      asSent: { gasUsed: 100_000n, gasPriceWei: 1_000n, blockTimeMs: 2_000 },
      forAnybody: neutral,
      ...changes,
    },
  )
  return { ...trial, sent }
}
const whole = delivered(amountOut)

s(
  'a try in disguise is sent as wallets send, by the taker and by nobody known [teeth/disguised]',
  async () => {
    const { sent, verification, fellForAnybody } = await disguise([whole, whole, whole])
    assert.equal([verification.status, fellForAnybody], ['verified', false])
    assert.equal(
      sent.map(({ data, disguise: dressed }) => [data, dressed?.blocksAhead, dressed?.blockTimeMs]),
      [
        ['0x01', 0, 2_000],
        ['0x01', 1, 2_000],
        ['0x02', 2, 2_000],
      ],
    )
    const [first, second, last] = sent.map((each) => each.taker)
    assert.equal([first, second], [taker, taker])
    assert.ok(last && last !== taker && sent[2]?.recipient === last)
    for (const { heldAmount = 0n, amountIn, disguise: dressed } of sent) {
      // An eighth more than it sells at most; 30 to 100 % more gas, and 60,000; a fifth more for it.
      assert.is(amountIn, 8_000n)
      assert.ok(heldAmount > 8_000n && heldAmount <= 9_000n, `${heldAmount}`)
      const { gas = 0n, gasPriceWei = 0n } = dressed ?? {}
      assert.ok(gas >= 190_000n && gas < 260_000n, `${gas}`)
      assert.ok(gasPriceWei >= 1_000n && gasPriceWei < 1_200n, `${gasPriceWei}`)
    }
    const strangers = (await disguise([whole, whole, whole], { taker: undefined })).sent
    assert.is(new Set(strangers.map((each) => each.taker)).size, 3)
    for (const each of strangers) assert.ok(each.taker && each.recipient === each.taker)
  },
)
s('the worst of its runs is what it comes to [teeth/disguised]', async () => {
  const less = delivered(amountOut / 2n)
  const statusOf = async (...results: readonly CandidateResult[]) =>
    (await disguise(results)).verification.status
  assert.equal(
    [
      await statusOf(whole, less, reverted),
      await statusOf(whole, away, less),
      await statusOf(whole, away, whole),
      await statusOf(reverted, whole, whole),
    ],
    ['failed', 'mismatched', 'unavailable', 'failed'],
  )
  assert.equal((await disguise([])).verification, { status: 'unavailable', reason: 'no result' })
})
s('its pools are to blame for what falls for nobody in particular [teeth/disguised]', async () => {
  const fell = async (last: CandidateResult, want = amountOut) =>
    (await disguise([reverted, reverted, last], { amountOut: want })).fellForAnybody
  assert.equal([await fell(whole), await fell(away), await fell(reverted)], [false, false, true])
  assert.is(await fell(delivered(amountOut / 2n)), true)
  // Of little a basis point is less than what a rate rounds by.
  assert.equal([await fell(delivered(8n), 10n), await fell(delivered(7n), 10n)], [false, true])
})
s('a payload of native currency spends nothing by allowance [teeth/disguised]', async () => {
  const [sold] = (await disguise([whole])).sent
  assert.equal([sold?.tokenIn, sold?.tokenOut, sold?.spender], [token, zeroAddress, router])
  const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  const [paid] = (await disguise([whole], { tokenIn: native, tokenOut: native })).sent
  assert.equal(
    [paid?.tokenIn, paid?.tokenOut, paid?.spender],
    [zeroAddress, zeroAddress, undefined],
  )
})
s('nobody to run it is no verdict, and other faults are ours [teeth/disguised]', async () => {
  const run = (simulator: Partial<Simulator> | undefined): Promise<Verification> =>
    verifyExecution({ simulator: simulator as Simulator | undefined }, question)
  assert.equal(await run(undefined), {
    status: 'unavailable',
    reason: 'no simulator is configured',
  })
  const gone = await run({
    simulateCandidates: async () => {
      throw new SimulatorUnavailable({ chainId: 8453, reason: 'gone' })
    },
  })
  assert.equal(gone, { status: 'unavailable', reason: 'the simulator is out of reach' })
  const fault = run({
    simulateCandidates: async () => {
      throw new TypeError('ours')
    },
  })
  const said = await fault.catch((error: Error) => error.message)
  assert.is(said, 'ours')
  const answer = (result: CandidateResult) =>
    run({
      simulateCandidates: async () => ({ blockNumber: 7n, blockHash: '0x', results: [result] }),
    })
  assert.equal(await answer(reverted), { status: 'failed', reason: 'it reverts', blockLag: 3 })
  assert.equal(await answer(away), { status: 'unavailable', reason: 'away' })
})

s(
  'a payload is run as it would be sent, by nobody where nobody is named [teeth/verify]',
  async () => {
    const sent: unknown[] = []
    const run = (results: readonly CandidateResult[], own: object = {}) => {
      const simulateCandidates: Simulator['simulateCandidates'] = async (asked) => {
        sent.push(asked)
        return { blockNumber: 12n, blockHash: '0x', results }
      }
      return verifyExecution(
        { simulator: { simulateCandidates } as Simulator },
        { ...question, ...own },
      )
    }
    assert.equal(await run([]), { status: 'unavailable', reason: 'no result' })
    await run([whole], { taker: undefined })
    const candidate = {
      target: router,
      data: '0x01',
      value: 0n,
      tokenIn: token,
      tokenOut: zeroAddress,
      amountIn: 8_000n,
      spender: router,
    }
    const asked = { chainId: 8453, minBlock: 10n, signal: undefined }
    assert.equal(sent, [
      { ...asked, candidates: [{ ...candidate, taker, recipient: taker }] },
      { ...asked, candidates: [candidate] },
    ])
  },
)
s('who sells a unit has another, and some gas beyond none [teeth/disguised]', async () => {
  const asSent = { gasUsed: 0n, gasPriceWei: 0n, blockTimeMs: 250 }
  const { sent } = await disguise([whole], { amountIn: 1n, asSent })
  for (const { heldAmount, disguise: dressed } of sent)
    assert.equal(
      [heldAmount, dressed?.gas, dressed?.gasPriceWei, dressed?.blockTimeMs],
      [2n, 60_000n, 0n, 250],
    )
})

s.run()
