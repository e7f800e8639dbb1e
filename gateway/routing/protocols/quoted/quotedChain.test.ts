import { mock } from 'node:test'
import { pad, toHex, zeroAddress } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { createSampleLens } from '../../testing/sampleLens.ts'
import { createViewNode, fakeAddress, fakeDex } from '../../testing/viewNode.ts'
import { createQuotedFamily, type QuotedProtocol, type QuotedRecord } from './quotedChain.ts'

const s = suite('samples of quoted pools')
const dexes = [fakeDex({ protocol: 'woofi' })]
const tokens = [fakeAddress(1), fakeAddress(2)] as const
const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

let nowMs = 1_000_000
let blockNumber = 1n
let isDown = false
const whole = 10n ** 18n
/** What every pool holds of either token; a quoter sells for double the amount, as far as that reaches. */
const balances = new Map<string, bigint>()
const { sample, asked } = createSampleLens({
  heldOf: (token) => balances.get(token) ?? 0n,
  quote(token, amountIn) {
    if (isDown) throw new Error('not now')
    const output = 2n * amountIn
    const bought = balances.get(token === tokens[0] ? tokens[1] : tokens[0]) ?? 0n
    return output > 0n && output <= bought ? output : undefined
  },
})
const { deps, failures } = createViewNode([], { sample })
const protocol: QuotedProtocol = {
  protocol: 'woofi',
  creations: [],
  topics: [],
  stepGas: () => 1,
  find: async () => [],
  readTokens: async (_, { pools }) => pools.map(() => tokens),
  quoter: {
    question: ({ address }, { amountIn }) => ({
      target: address,
      data: pad(toHex(amountIn), { size: 32 }),
    }),
    readAnswer: ([amountOut]) => amountOut,
  },
  encodeStep: ({ address }) => ({ kind: stepKinds.woofi, pool: address, data: '0x' }),
}
const createFamily = (own: Partial<QuotedProtocol> = {}) =>
  createQuotedFamily({ ...protocol, ...own }, { now: () => nowMs })
const family = createFamily()
s.before.each(() => {
  isDown = false
  for (const token of tokens) balances.set(token, whole)
})
const pools = dexes.flatMap((dex) =>
  Array.from({ length: 6 }, (_, k) => ({ dex, address: fakeAddress(k + 3) })),
)
const addresses = pools.map(({ address }) => address)

/** A block later: the records as the sync makes them of what is told anew, and the pools asked about. */
async function pass(records: readonly QuotedRecord[], ms: number, by = family) {
  nowMs += ms
  blockNumber += 1n
  asked.length = 0
  const fields = await by.refresh?.(deps, { records, dexes, blockNumber })
  const next = records.map((record) => ({ ...record, ...fields?.get(record.id) }) as QuotedRecord)
  const targets = asked.map(({ target }) => target.toLowerCase())
  return { records: next, asked: [...new Set(targets)], fields }
}
async function loadOne(by = family) {
  const [record] = await by.load(deps, { pools: pools.slice(0, 1), blockNumber })
  if (!record) throw new Error('there is no pool')
  return record
}

s('are taken again after ten seconds, some pools a block, and every pool in its turn', async () => {
  const loaded = await family.load(deps, { pools, blockNumber })
  assert.is(loaded.length, pools.length)
  const soon = await pass(loaded, 9_999)
  assert.equal(soon.asked, [])
  const first = await pass(soon.records, 1)
  assert.is(first.asked.length, 4, 'no block waits for more')
  const second = await pass(first.records, 2_000)
  assert.equal([...first.asked, ...second.asked], addresses)
  const third = await pass(second.records, 2_000)
  assert.equal(third.asked, [])
  // Those come first that have waited longest, wherever they stand.
  const again = await pass(third.records.toReversed(), 8_000)
  assert.equal(again.asked, first.asked.toReversed())
})

s(
  'reach what there is to buy where a pool holds none of what it is paid in, or dust [20/one-sided-reads]',
  async () => {
    for (const held of [0n, 1n, whole / 10n ** 9n]) {
      balances.set(tokens[0], held)
      asked.length = 0
      const record = await loadOne()
      const curve = family.toEnginePool(record).curve(0, 1)
      const reach = Number(curve?.x[curve.count]) / Number(whole / 2n)
      assert.ok(reach > 0.99 && reach <= 1, `${reach} of what there is to buy, ${held} held`)
      assert.is(family.held(record, 0), Number(held))
      // What is held, a price where nothing tells one, and the grid that follows from it.
      const grids = asked.filter(({ token }) => token.toLowerCase() === tokens[0])
      assert.ok(grids.length <= 3, `${grids.length} grids`)
    }
  },
)

s('are taken again as far as they reached, at one time', async () => {
  balances.set(tokens[0], 0n)
  const loaded = await loadOne()
  const again = await pass([loaded], 11_000)
  assert.is(asked.length, 2)
  assert.equal(again.records[0]?.amounts, loaded.amounts)
})

s('stay what they were where a quoter fails, and are not asked again at once', async () => {
  const loaded = [await loadOne()]
  isDown = true
  const missed = await pass(loaded, 10_000)
  assert.equal([missed.records, missed.asked.length], [loaded, 1])
  isDown = false
  assert.equal((await pass(missed.records, 9_999)).asked, [])
  assert.equal((await pass(missed.records, 1)).asked, addresses.slice(0, 1))
})

s('that somebody else has taken are as old as can be', async () => {
  const { outputs, ...record } = await loadOne()
  const stored = { ...record, outputs: [...outputs] }
  assert.equal((await pass([stored], 0)).asked, addresses.slice(0, 1))
})

s('are as old as the process says where no other clock is given', async () => {
  const clock = mock.method(performance, 'now', () => nowMs)
  try {
    const usual = createQuotedFamily(protocol)
    const record = await loadOne(usual)
    assert.equal((await pass([record], 9_999, usual)).asked, [])
    assert.equal((await pass([record], 1, usual)).asked, addresses.slice(0, 1))
  } finally {
    clock.mock.restore()
  }
})

s('come with what bounds them, where somebody tells', async () => {
  const limits = [whole, whole / 2n]
  const bounded = createFamily({ readLimits: async (_, { records }) => records.map(() => limits) })
  const record = await loadOne(bounded)
  const { amounts, outputs } = record
  assert.equal(record.limits, limits)
  const told = await pass([record], 10_000, bounded)
  assert.equal(told.fields?.get(record.id), { amounts, outputs, limits })
  const boundsOf = (by: typeof family) => by.quoter?.readBounds?.(deps, { record, blockNumber })
  assert.equal([await boundsOf(bounded), await boundsOf(family)], [{ limits }, {}])
  const free = await loadOne()
  const { fields } = await pass([free], 10_000)
  assert.equal(Object.keys(fields?.get(free.id) ?? {}), ['amounts', 'outputs'])
})

s('are of what lies with the pool, or with its vault, and native currency too', async () => {
  const vault = fakeAddress(0x77)
  const readTokens: QuotedProtocol['readTokens'] = async () => [[native, tokens[1]]]
  balances.set(zeroAddress, whole)
  for (const own of [{}, { vault }]) {
    asked.length = 0
    const record = await loadOne(createFamily({ ...own, readTokens }))
    assert.equal(
      asked.map(({ token, holder }) => [token.toLowerCase(), holder.toLowerCase()]),
      [zeroAddress, tokens[1]].map((token) => [token, own.vault ?? addresses[0]]),
    )
    const { isFresh, feePips, amounts, outputs, native: isNative } = record
    assert.equal([isNative, isFresh, feePips], [[true, false], [false, false], 0])
    // A list for each token in and each token out, itself too, of which nobody asks.
    assert.equal([amounts.length, outputs.length], [56, 56])
    const itself = [...amounts.slice(0, 14), ...outputs.slice(0, 14)]
    assert.equal(itself, Array(28).fill(0n))
  }
})

s('of what names no two tokens are not asked for', async () => {
  failures.length = 0
  asked.length = 0
  for (const named of [undefined, [], [tokens[0]]])
    assert.equal(
      await createFamily({ readTokens: async () => [named] }).load(deps, { pools, blockNumber }),
      [],
    )
  assert.equal([asked, failures], [[], []])
})

s('are there where a single unit is sold, and tell of pools that sell none', async () => {
  failures.length = 0
  balances.set(tokens[0], 1n)
  balances.set(tokens[1], 2n)
  // Of the two that it says to one.
  const readAnswer = ([output = 0n]: readonly bigint[]) => output / 2n
  const record = await loadOne(createFamily({ quoter: { ...protocol.quoter, readAnswer } }))
  assert.equal([record.outputs.filter(Boolean), failures], [[1n], []])
  balances.set(tokens[0], 0n)
  assert.equal(await family.load(deps, { pools: pools.slice(0, 1), blockNumber }), [])
  assert.equal(failures, [`unopened ${addresses[0]}`])
})

s('tell a price by the least amount that buys a thousand units', async () => {
  const record = await loadOne()
  const lay = (values: readonly bigint[]) =>
    Array.from({ length: 56 }, (_, k) => values[k - 14] ?? 0n)
  const priceOf = (outputs: readonly bigint[], i = 0) =>
    family.midPrice(
      { ...record, amounts: lay([10n, 100n, 1_000n]), outputs: lay(outputs) },
      i,
      1 - i,
    )
  assert.is(priceOf([999n, 1_000n, 5_000n]), 10)
  assert.is(priceOf([1_000n, 2_000n]), 100)
  assert.equal([priceOf([999n]), priceOf([1_000n], 1)], [0, 0])
  assert.equal([family.depth(record, 0), family.takesTaxedInput], [undefined, false])
})

s.run()
