import { type Address, numberToHex } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../simulator/simulatorUnavailable.ts'
import { createTaxBook } from './taxBook.ts'

const s = suite('taxes of tokens')
const token = (n: number): Address => numberToHex(n, { size: 20 })
const sample = (n: number) => ({ address: token(n), amount: 10_000n })

/** Each transfer loses a hundredth at first; `asked` are the tokens that were measured. */
function setUp(mostKept: number) {
  const asked: string[] = []
  const chain = { received: 9_900n, isDown: false }
  const simulator = {
    simulateCandidates: async ({ candidates }: { candidates: readonly { target: Address }[] }) => {
      if (chain.isDown) throw new SimulatorUnavailable({ chainId: 8453, reason: 'no fork' })
      asked.push(...candidates.map(({ target }) => target))
      const { received: amountOut } = chain
      const results = candidates.map(() => ({ status: 'ok', amountOut, gasUsed: 50_000n }))
      return { results }
    },
  } as unknown as Simulator
  const clock = { ms: 0 }
  const book = createTaxBook({ chainId: 8453, simulator, mostKept, now: () => clock.ms })
  return { asked, book, chain, clock }
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
s.run()
