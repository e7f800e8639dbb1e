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
s('says of each call who made it, of whom, and what of it [teeth/trace-calls]', () => {
  const to = `0x${'ab'.repeat(20)}`
  const inner = frame({
    type: 'STATICCALL',
    to,
    value: '0x7',
    gasUsed: '0x5208',
    input: '0x0102030405',
  })
  const made = { ...frame({ type: 'CREATE2', input: '0x6080604052' }), to: undefined }
  const root = frame({ type: undefined, input: '0x01', calls: [inner, made] })
  const calls = readTrace(root, { errors })?.calls ?? []
  assert.equal(
    calls.map(({ depth, kind, selector, valueWei, gasUsed, failure }) => [
      depth,
      kind,
      selector,
      valueWei,
      gasUsed,
      failure,
    ]),
    [
      [0, 'call', '0x01', 0n, 1n, undefined],
      [1, 'staticcall', '0x01020304', 7n, 21_000n, undefined],
      [1, 'create2', '0x', 0n, 1n, undefined],
    ],
  )
  assert.equal(
    calls.map((call) => [call.from, call.to, call.isCause, call.isUndone]),
    [
      [getAddress(from), getAddress(from), false, false],
      [getAddress(from), getAddress(to), false, false],
      [getAddress(from), undefined, false, false],
    ],
  )
})
s('undoes all that is in a call that failed, and nothing beside it [teeth/trace-calls]', () => {
  const bad = frame({ ...reverted('bad'), calls: [frame({ calls: [frame()] })] })
  const calls = readTrace(frame({ calls: [bad, frame()] }), { errors })?.calls ?? []
  assert.equal(
    calls.map(({ depth, isUndone }) => [depth, isUndone]),
    [
      [0, false],
      [1, true],
      [2, true],
      [3, true],
      [1, false],
    ],
  )
})
s("says in our words why one failed, never in a node's [teeth/trace-calls]", () => {
  const failureOf = (rest: object) => readTrace(frame(rest), { errors })?.calls[0]?.failure
  assert.is(failureOf(reverted('too little')), 'too little')
  assert.is(
    failureOf({ error: 'execution reverted', output: '0x' }),
    'execution reverted without a reason',
  )
  assert.is(
    failureOf({ error: 'execution reverted', output: '0x01' }),
    'execution reverted with 0x01',
  )
  assert.is(failureOf({ error: 'Out of Gas: se-cret' }), 'out of gas')
  assert.is(failureOf({ error: 'stack underflow se-cret' }), 'execution halted')
  for (const none of [undefined, null, 7, {}]) assert.is(readTrace(none, { errors }), undefined)
})
s('tells so many transfers of one call, each with its token and ends [teeth/trace-calls]', () => {
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const [payer, payee] = ['34', '56'].map((byte) => `0x${'0'.repeat(24)}${byte.repeat(20)}`)
  const log = {
    address: from,
    topics: [transfer, payer, payee],
    data: `0x${'9'.padStart(64, '0')}`,
  }
  const others = [
    { ...log, topics: [payer, payer, payee] },
    { ...log, topics: [transfer, payer] },
    { ...log, data: 7 },
    { ...log, data: `${log.data}00` },
  ]
  const tell = (logs: readonly object[]) =>
    readTrace(frame({ logs }), { errors })?.calls[0]?.transfers ?? []
  assert.equal(tell([...others, log]), [
    {
      token: getAddress(from),
      from: getAddress(`0x${'34'.repeat(20)}`),
      to: getAddress(`0x${'56'.repeat(20)}`),
      amount: 9n,
    },
  ])
  assert.is(tell(Array.from({ length: 25 }, () => log)).length, 20)
})
s('leaves what is deeper, or comes later, to a count [teeth/trace-calls]', () => {
  const flat = (count: number) =>
    readTrace(frame({ calls: Array.from({ length: count }, () => frame()) }), { errors })
  assert.equal([flat(299)?.calls.length, flat(299)?.leftOut], [300, 0])
  assert.equal([flat(300)?.calls.length, flat(300)?.leftOut], [300, 1])
  let deep = frame()
  for (let n = 1; n < 49; n += 1) deep = frame({ calls: [deep] })
  const trace = readTrace(deep, { errors })
  assert.equal([trace?.calls.length, trace?.leftOut], [48, 1])
})
s.run()
