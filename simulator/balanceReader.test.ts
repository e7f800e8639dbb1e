import { concat, numberToHex, size } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { balanceReaderAt, readBalances, readBalancesCall } from './balanceReader.ts'
import { gasOf } from './rpc/callShapes.ts'

const s = suite('balance reader')
const somebody = '0x2962ec6d8ed160aed46ca3907301316a2acd6d54'
const word = (value: bigint) => numberToHex(value, { size: 32 })
const answer = (...words: readonly bigint[]) => ({
  ok: true,
  gasUsed: 1n,
  returnData: concat(words.map(word)),
  message: '',
  logs: [],
})

s('asks for pairs of 20 bytes each', () => {
  const { data, gas } = readBalancesCall([
    { token: somebody, holder: somebody },
    { token: somebody, holder: somebody },
  ])
  assert.is(data, `0x${somebody.slice(2).repeat(4)}`)
  // So much for each, and something for the call itself.
  assert.ok(BigInt(gas) > 2n * gasOf.balanceRead + 100_000n)
})
s('tells a balance of nothing from one that could not be read', () => {
  const most = 2n ** 256n - 1n
  assert.equal(readBalances(answer(1n, most, 0n, 7n, 1n, 0n), 3), [most, undefined, 0n])
})
s('reads nothing out of a call that failed or is of another length', () => {
  const none = [undefined, undefined]
  assert.equal(readBalances(answer(1n, 1n), 2), none)
  assert.equal(readBalances({ ...answer(1n, 1n, 1n, 1n), ok: false }, 2), none)
  assert.equal(readBalances(undefined, 2), none)
})
s('stands elsewhere as well, asked by somebody who can pay for it', () => {
  const call = readBalancesCall([], somebody)
  assert.is(call.to, somebody)
  const { [somebody]: reader, [call.from]: caller } = balanceReaderAt(somebody, '0x5')
  assert.ok(size(reader?.code ?? '0x') > 50)
  assert.equal(caller, { balance: '0x5' })
})
s.run()
