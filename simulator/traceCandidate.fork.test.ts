import { type Address, getAddress, zeroAddress } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import { mostCalls, mostDepth } from './readTrace.ts'
import { createSimulator } from './simulator.ts'
import { bombAddress, bombs } from './testing/bombs.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { startTestForks } from './testing/testForks.ts'

const s = suite('traces of candidates')
const world = await startSwapWorld()
const [router, tokenA, tokenB] = [world.router, world.tokenA, world.tokenB].map((one) =>
  getAddress(one),
)
const forks = await startTestForks()
const simulator = await createSimulator({
  forks,
  chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
})
s.after(async () => {
  await simulator.close()
  await world.chain.close()
})

const ether = 10n ** 18n
const taker = simulator.simulatedTaker(8453)
const trace = async (candidate: Candidate) =>
  (await simulator.traceCandidate({ chainId: 8453, candidate })).trace
async function traceCalls(candidate: Candidate) {
  const traced = await trace(candidate)
  if (traced.status !== 'traced') throw new Error(traced.reason)
  return traced.calls
}

s('show each call of a swap, with what the tokens moved by it [sim/trace]', async () => {
  const calls = await traceCalls(world.swapAForB({ to: taker }))
  assert.equal(
    calls.map(({ depth, kind, selector }) => `${depth} ${kind} ${selector}`),
    [
      '0 call 0x38ed1739',
      '1 staticcall 0x0902f1ac',
      '1 call 0x23b872dd',
      '1 call 0x022c0d9f',
      '2 call 0xa9059cbb',
      '2 staticcall 0x70a08231',
      '2 staticcall 0x70a08231',
    ],
  )
  const pair = calls[3]?.to ?? zeroAddress
  const amountOut = await world.quoteAForB(ether)
  assert.equal(
    calls.flatMap(({ transfers }) => transfers),
    [
      { token: tokenA, from: taker, to: pair, amount: ether },
      { token: tokenB, from: pair, to: taker, amount: amountOut },
    ],
  )
  assert.ok(calls.every(({ failure, isCause }) => failure === undefined && !isCause))
})

s('name the call that failed, in the words of its revert [sim/trace-cause]', async () => {
  const failingOf = async (candidate: Candidate) =>
    (await traceCalls(candidate)).flatMap(({ to, depth, failure, isCause }) =>
      failure === undefined ? [] : [{ to, depth, failure, isCause }],
    )
  // The router's own check, after calls that went well.
  assert.equal(await failingOf(world.swapAForB({ minOut: 10n ** 30n })), [
    { to: router, depth: 0, failure: 'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT', isCause: true },
  ])
  // The token's, which the router tells in other words.
  assert.equal(await failingOf({ ...world.swapAForB(), spender: undefined }), [
    { to: router, depth: 0, failure: 'TransferHelper: TRANSFER_FROM_FAILED', isCause: false },
    { to: tokenA, depth: 1, failure: 'ds-math-sub-underflow', isCause: true },
  ])
})

s('run on what the approval changed, for whoever is named as taker', async () => {
  const somebody: Address = '0x1111111111111111111111111111111111111111'
  const calls = await traceCalls({ ...world.swapAForB({ to: somebody }), taker: somebody })
  assert.is(calls[0]?.from, somebody)
  assert.is(calls[0]?.failure, undefined)
})

/** A container's fork may have too little memory for one before its time is over. */
const endings = /^the (?:trace took too long|trace is too large|fork ended meanwhile)$/

s(
  'are cut, or end the fork that they run on, where they are endless [strangers/trace]',
  async () => {
    const harm = {
      recursion: bombs['recursion'],
      pairings: bombs['pairings'],
      endlessLoop: bombs['endlessLoop'],
      revertBomb: bombs['revertBomb'],
      // loop: CALL with 300 kB of calldata, which a tracer keeps of each.
      calldata: '0x600162049000525b5f5f620490005f5f60ee5af150600756',
    }
    for (const [index, code] of Object.values(harm).entries()) {
      const target = bombAddress(index)
      await world.chain.request('anvil_setCode', [target, code])
      const minBlock = await world.swapForReal(1_000n)
      const candidate = { ...world.swapAForB(), target }
      const { trace: traced } = await simulator.traceCandidate({
        chainId: 8453,
        candidate,
        minBlock,
      })
      if (traced.status === 'traced') assert.ok(traced.calls.length <= mostCalls + mostDepth)
      else assert.match(traced.reason, endings)
    }
    assert.is((await trace(world.swapAForB())).status, 'traced')
  },
)
s.run()
