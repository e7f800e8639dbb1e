import { type Address, encodeFunctionData, erc20Abi, numberToHex } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { Candidate, Simulator } from '../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../simulator/simulatorUnavailable.ts'
import { createTaxBook, sampleOf } from './taxBook.ts'

const s = suite('taxes of tokens')
const token = (n: number): Address => numberToHex(n, { size: 20 })
const sample = (n: number) => ({ address: token(n), amount: 10_000n })

/** Each transfer loses a hundredth at first; `asked` are the tokens that were measured. */
function setUp(mostKept: number) {
  const asked: string[] = []
  const chain = { received: 9_900n, gasUsed: 50_000n, status: 'ok', isDown: false }
  const sent: Candidate[] = []
  const simulator = {
    simulateCandidates: async ({ candidates }: { candidates: readonly Candidate[] }) => {
      sent.push(...candidates)
      if (chain.isDown) throw new SimulatorUnavailable({ chainId: 8453, reason: 'no fork' })
      asked.push(...candidates.map(({ target }) => target))
      const { received: amountOut, gasUsed, status } = chain
      const results = candidates.map(() => ({ status, amountOut, gasUsed }))
      return { results }
    },
  } as unknown as Simulator
  const clock = { ms: 0 }
  const book = createTaxBook({ chainId: 8453, simulator, mostKept, now: () => clock.ms })
  return { asked, sent, book, chain, clock }
}

s(
  'are forgotten beyond a number, the ones asked for longest ago first [strangers/taxes]',
  async () => {
    const { asked, book, clock } = setUp(100)
    for (let n = 0; n < 100; n += 1) await book.measure([sample(n)])
    assert.is(book.get(token(0)), 100)
    assert.ok(book.extraTransferGas(token(1)) > 0)
    const before = book.measured()
    for (let n = 100; n < 198; n += 1) await book.measure([sample(n)])
    assert.equal(
      [0, 1, 197].map((n) => book.get(token(n))),
      [100, 100, 100],
    )
    assert.is(book.get(token(2)), undefined)
    assert.is(book.extraTransferGas(token(2)), 0)
    // As many are known as before, and not the same ones.
    assert.not.equal(book.measured(), before)
    asked.length = 0
    clock.ms += 60_000
    assert.ok(await book.measure([sample(0), sample(2)]))
    assert.equal(asked, [token(2)])
  },
)
s('are measured anew when they are old [routing/tax-old]', async () => {
  const { asked, book, chain, clock } = setUp(100)
  assert.not(book.isOld(token(1)), 'it is not known')
  await book.measure([sample(1)])
  const before = book.measured()
  clock.ms = 299_999
  assert.not(book.isOld(token(1)))
  clock.ms = 300_000
  assert.ok(book.isOld(token(1)))
  assert.equal(await book.remeasure([sample(1)]), [])
  assert.not(book.isOld(token(1)))
  assert.is(book.measured(), before, 'what was computed stays true')
  chain.received = 9_000n
  assert.equal(await book.remeasure([sample(1)]), [token(1)])
  assert.is(book.get(token(1)), 1_000)
  assert.not.equal(book.measured(), before)
  chain.isDown = true
  clock.ms += 300_000
  assert.equal(await book.remeasure([sample(1)]), [])
  assert.is(book.get(token(1)), 1_000)
  // Not before another while.
  assert.not(book.isOld(token(1)))
  assert.equal(asked, [token(1), token(1), token(1)])
})

s('are what a transfer to nobody loses, and takes beyond a plain one [teeth/taxes]', async () => {
  const { book, chain, sent } = setUp(100)
  assert.is(await book.measure([sample(1)]), true)
  assert.equal([book.get(token(1)), book.extraTransferGas(token(1))], [100, 3_600])
  const [transfer] = sent
  const recipient = transfer?.recipient as Address
  assert.equal(transfer, {
    target: token(1),
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [recipient, 10_000n],
    }),
    value: 0n,
    tokenIn: token(1),
    tokenOut: token(1),
    amountIn: 10_000n,
    spender: undefined,
    recipient,
  })
  chain.received = 10_000n
  chain.gasUsed = 40_000n
  assert.is(await book.measure([sample(2)]), false)
  assert.equal([book.get(token(2)), book.extraTransferGas(token(2))], [0, 0])
  assert.is(await book.measure([sample(1), sample(2)]), true, 'one of them is taxed')
  assert.is(sent.length, 2)
})
s('are of the nearest basis point, and none where more arrives [teeth/taxes]', async () => {
  const { book, chain } = setUp(100)
  for (const [lost, taxBps] of [
    [-5n, 0],
    [0n, 0],
    [499n, 0],
    [500n, 1],
    [1_499n, 1],
    [10_000_000n, 10_000],
  ] as const) {
    const amount = 10_000_000n
    chain.received = amount - lost
    await book.remeasure([{ address: token(1), amount }])
    assert.is(book.get(token(1)), taxBps, `${lost} lost`)
  }
})
s('are tried again half a minute after nobody could tell [teeth/taxes]', async () => {
  const { asked, book, chain, clock } = setUp(100)
  chain.status = 'simulation_failed'
  const measureAt = async (ms: number) => {
    clock.ms = ms
    await book.measure([sample(1)])
    return asked.length
  }
  assert.equal([await measureAt(5), await measureAt(30_005), await measureAt(30_006)], [1, 1, 2])
  assert.equal([book.get(token(1)), book.measured()], [undefined, 0])
  chain.status = 'ok'
  assert.is(await measureAt(60_007), 3)
  assert.equal([book.get(token(1)), await measureAt(200_000)], [100, 3])
})
s(
  'are measured once for all who wait, and are none without a simulator [teeth/taxes]',
  async () => {
    const { asked, book } = setUp(100)
    const both = [book.measure([sample(1)]), book.measure([sample(1), sample(2)])]
    assert.equal(await Promise.all(both), [true, true])
    assert.equal(asked, [token(1), token(2)])
    const none = createTaxBook({ chainId: 8453, simulator: undefined })
    assert.equal([await none.measure([sample(1)]), await none.remeasure([sample(1)])], [false, []])
    assert.equal([none.get(token(1)), none.isOld(token(1))], [undefined, false])
  },
)
s('are another where the gas is, though nobody is told of that [teeth/taxes]', async () => {
  const { book, chain } = setUp(100)
  await book.measure([sample(1)])
  const before = book.measured()
  chain.gasUsed = 60_000n
  assert.equal(await book.remeasure([sample(1)]), [])
  assert.is(book.extraTransferGas(token(1)), 13_600)
  assert.is.not(book.measured(), before)
})
s('are measured by a hundred of a token, whatever its decimals [teeth/taxes]', () => {
  const amounts = [0, 6, 18].map((decimals) => sampleOf({ address: token(1), decimals }).amount)
  assert.equal(amounts, [100n, 10n ** 8n, 10n ** 20n])
})
s('are asked of nobody where all are known [teeth/taxes]', async () => {
  let calls = 0
  const simulateCandidates = async ({ candidates }: { candidates: readonly Candidate[] }) => {
    calls += 1
    const result = { status: 'ok', amountOut: 10_000n, gasUsed: 1n }
    return { results: candidates.map(() => result) }
  }
  const simulator = { simulateCandidates } as unknown as Simulator
  const book = createTaxBook({ chainId: 8453, simulator })
  for (let times = 0; times < 2; times += 1) assert.not(await book.measure([sample(1)]))
  assert.equal([calls, book.get(token(1))], [1, 0])
})
s('hide no fault of ours [teeth/taxes]', async () => {
  const simulateCandidates = () => Promise.reject(new TypeError('ours'))
  const simulator = { simulateCandidates } as unknown as Simulator
  const book = createTaxBook({ chainId: 8453, simulator })
  for (const work of [book.measure([sample(1)]), book.remeasure([sample(1)])])
    assert.is(await work.catch((error: Error) => error.message), 'ours')
})

s.run()
