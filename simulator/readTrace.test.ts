import { encodeErrorResult, getAddress, parseAbi } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { mostCalls, mostDepth, readTrace } from './readTrace.ts'
import { createErrorTable } from './revertReason.ts'

const s = suite('trace of calls')
const errors = createErrorTable([])
const from = `0x${'12'.repeat(20)}` as const
const frame = (rest: object = {}) => ({
  type: 'CALL',
  from,
  to: from,
  gasUsed: '0x1',
  input: '0x',
  ...rest,
})
const reverted = (reason: string) => ({
  error: 'execution reverted',
  output: encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: [reason] }),
})
const causeOf = (root: object) => {
  const { calls = [] } = readTrace(root, { errors }) ?? {}
  return calls.flatMap(({ isCause, failure }) => (isCause ? [failure] : []))
}

s('a call fails by its last one, by what it passes on, or by itself', () => {
  const [bad, other] = [frame(reverted('bad')), frame(reverted('other'))]
  assert.equal(causeOf(frame({ ...reverted('wrapped'), calls: [frame(), bad] })), ['bad'])
  assert.equal(causeOf(frame({ ...reverted('bad'), calls: [bad, frame()] })), ['bad'])
  assert.equal(causeOf(frame({ ...reverted('too little'), calls: [other, frame()] })), [
    'too little',
  ])
  // Caught by who called it.
  assert.equal(causeOf(frame({ calls: [bad] })), [])
  assert.equal(causeOf(frame({ error: 'out of gas' })), ['out of gas'])
  assert.equal(causeOf(frame({ error: 'invalid opcode: INVALID' })), ['execution halted'])
})

s('of a thousand calls those are left that failed it all, and no deeper than people look', () => {
  const many = Array.from({ length: 1_000 }, () => frame())
  const cut = readTrace(frame({ ...reverted('so'), calls: [...many, frame(reverted('late'))] }), {
    errors,
  })
  assert.is(cut?.calls.length, mostCalls + 1)
  assert.equal([cut?.calls.at(-1)?.failure, cut?.leftOut], ['late', 1_002 - mostCalls - 1])
  const deep = many.reduce(
    (inner) => frame({ ...reverted('deep'), calls: [inner] }),
    frame(reverted('deep')),
  )
  assert.equal(readTrace(deep, { errors })?.calls.length, mostDepth)
  assert.is(readTrace('nothing', { errors }), undefined)
})

s('a collectible is no amount of a token', () => {
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const word = `0x${'0'.repeat(63)}7`
  const tell = (topics: readonly string[], data: string) =>
    readTrace(frame({ logs: [{ address: from, topics, data }] }), {
      errors,
    })?.calls[0]?.transfers.map(({ amount }) => amount)
  assert.equal(tell([transfer, word, word], word), [7n])
  assert.equal(tell([transfer, word, word, word], '0x'), [])
  assert.equal(tell([transfer, word, word], '0x'), [])
})
s('what is undone tells no logs, but what was asked of tokens', () => {
  const [payer, payee] = ['34', '56'].map((byte) => byte.repeat(20))
  const words = `${'0'.repeat(24)}${payee}${'0'.repeat(63)}9`
  const told = (input: string, rest: object = {}) => {
    const root = frame({ ...reverted('too little'), calls: [frame({ input, ...rest })] })
    const [, call] = readTrace(root, { errors })?.calls ?? []
    return (
      call?.isUndone === true && call.transfers.map((one) => `${one.from} ${one.to} ${one.amount}`)
    )
  }
  const checksummed = (digits = '') => getAddress(`0x${digits}`)
  assert.equal(told(`0xa9059cbb${words}`), [`${getAddress(from)} ${checksummed(payee)} 9`])
  const moved = [`${checksummed(payer)} ${checksummed(payee)} 9`]
  assert.equal(told(`0x23b872dd${'0'.repeat(24)}${payer}${words}`), moved)
  assert.equal(told(`0xa9059cbb${words}`, reverted('no')), [])
  assert.equal(told(`0xa9059cbb${words}`, { type: 'DELEGATECALL' }), [])
  assert.equal(told('0xa9059cbb12'), [])
})
s.run()
