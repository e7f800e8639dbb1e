import { concat, type Hex, pad, size, toHex } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import {
  findLoss,
  type Holding,
  readHoldingAlone,
  readHoldings,
  readHoldingsCall,
} from './holdingsReader.ts'
import type { SimulatedCall } from './rpc/readSimulated.ts'
import { addressOf, pairs, word } from './testing/answers.ts'

const s = suite('simulator/holdingsReader')
const holding = (loss: Holding['loss'], sentence: string = loss): Holding => ({
  contract: addressOf('b'),
  data: '0x70a0823105',
  loss,
  sentence,
})
const answer = (...values: readonly (bigint | undefined)[]): SimulatedCall => ({
  ok: true,
  gasUsed: 1n,
  returnData: pairs(...values).returnData ?? '0x',
  message: '',
  logs: [],
})

s('asks for entries of a contract and a hundred bytes, with gas for each [teeth/holdings]', () => {
  const one = holding('fall')
  const { data, gas } = readHoldingsCall([one, { ...one, contract: addressOf('c') }])
  assert.is(size(data), 2 * 120)
  const calldata = pad(one.data, { dir: 'right', size: 100 })
  assert.is(data, concat([one.contract, calldata, addressOf('c'), calldata]))
  assert.is(gas, toHex(520_000n))
  const { method, params } = readHoldingAlone(one)
  const [call, block] = params as [{ to: Hex; data: Hex; gas: Hex }, string]
  assert.equal(
    [method, call.to, call.data, call.gas, block],
    ['eth_call', one.contract, one.data, toHex(200_000n), 'latest'],
  )
})
s('tells a view that answers nothing from one that did not answer [teeth/holdings]', () => {
  const most = 2n ** 256n - 1n
  assert.equal(readHoldings(answer(0n, undefined, most), 3), [0n, undefined, most])
  const none = [undefined, undefined]
  assert.equal(readHoldings(answer(1n), 2), none)
  assert.equal(readHoldings(answer(1n, 1n, 1n), 2), none)
  assert.equal(readHoldings({ ...answer(1n, 1n), ok: false }, 2), none)
  assert.equal(readHoldings(undefined, 2), none)
  const odd = { ...answer(1n), returnData: concat([word(2n), word(9n)]) }
  assert.equal(readHoldings(odd, 1), [undefined])
})
s('is a loss by what a view means, and not where it stays as it was [teeth/holdings-loss]', () => {
  const lost = (loss: Holding['loss'], from: bigint | undefined, to: bigint | undefined) =>
    findLoss([holding(loss)], { before: answer(from), after: answer(to) }) === loss
  for (const [loss, less, more] of [
    ['rise', false, true],
    ['fall', true, false],
    ['change', true, true],
  ] as const) {
    const found = [lost(loss, 5n, 4n), lost(loss, 5n, 5n), lost(loss, 5n, 6n)]
    assert.equal(found, [less, false, more], loss)
    // One that answers no more hides something; of one that never did nothing is known.
    assert.equal([lost(loss, 0n, undefined), lost(loss, undefined, 9n)], [true, false], loss)
  }
})
s('says the first of those that the taker lost by [teeth/holdings-loss]', () => {
  const all = [holding('fall', 'first'), holding('rise', 'second'), holding('fall', 'third')]
  const find = (...after: readonly bigint[]) =>
    findLoss(all, { before: answer(5n, 5n, 5n), after: answer(...after) })
  assert.equal(
    [find(5n, 5n, 5n), find(5n, 6n, 4n), find(5n, 5n, 4n)],
    [undefined, 'second', 'third'],
  )
  assert.is(findLoss(all, { before: undefined, after: answer(1n, 9n, 1n) }), undefined)
  assert.is(findLoss([], { before: undefined, after: undefined }), undefined)
})
s.run()
