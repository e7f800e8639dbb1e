import { concat } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { addressOf, refused, told, word } from '../testing/answers.ts'
import { orSilent } from './orSilent.ts'
import { readSimulated, readWord, readWordOutcome } from './readSimulated.ts'
import { RpcTransportError } from './rpcBatch.ts'

const s = suite('simulator/rpc/readSimulated')
const log = { address: addressOf('a'), topics: [word(1n)], data: '0x' }
const good = { status: '0x1', gasUsed: '0x5208', returnData: '0x12', logs: [log] }
const answer = (...calls: readonly unknown[]) => told([{ calls }])

s('reads each call of the one block, in the forms that nodes write [teeth/simulated]', () => {
  const failed = { status: '0x0', error: { code: 3, message: 'execution reverted' } }
  assert.equal(readSimulated(answer(good, failed, {}), 3), [
    { ok: true, gasUsed: 21_000n, returnData: '0x12', message: '', logs: [log] },
    { ok: false, gasUsed: 0n, returnData: '0x', message: 'execution reverted', logs: [] },
    { ok: false, gasUsed: 0n, returnData: '0x', message: '', logs: [] },
  ])
})
s('reads nothing of what is none, whoever wrote it [teeth/simulated]', () => {
  const others = [
    refused('busy'),
    told(null),
    told([]),
    told([{ calls: 'one' }]),
    answer(),
    answer(good, good),
    ...[null, 'none', 7].map((call) => answer(call)),
    ...['0x', 'none', 21_000, null].map((gasUsed) => answer({ ...good, gasUsed })),
    ...[
      'none',
      [null],
      [{ ...log, address: 'a' }],
      [{ ...log, data: 7 }],
      [{ ...log, topics: 'none' }],
      [{ ...log, topics: [7] }],
      [log, { ...log, topics: [word(1n), 'x'] }],
    ].map((logs) => answer({ ...good, logs })),
  ]
  for (const other of others) assert.is(readSimulated(other, 1), undefined, JSON.stringify(other))
})
s('reads no bytes where the last is half a one [teeth/simulated]', () => {
  const [half] = readSimulated(answer({ ...good, returnData: '0x123' }), 1) ?? []
  assert.is(half?.returnData, '0x')
})
s('reads the first word of what is one, and of nothing else [teeth/simulated]', () => {
  const call = { ok: true, gasUsed: 0n, message: '', logs: [] }
  const [one, more] = [word(7n), concat([word(7n), '0xff'])]
  // To its first bit, and its last.
  const most = word(2n ** 255n + 1n)
  assert.equal(
    [readWord({ ...call, returnData: most }), readWordOutcome(told(most))],
    [2n ** 255n + 1n, 2n ** 255n + 1n],
  )
  const short = '0x07'
  for (const returnData of [one, more] as const) {
    assert.is(readWord({ ...call, returnData }), 7n)
    assert.is(readWordOutcome(told(returnData)), 7n)
  }
  assert.is(readWord({ ...call, returnData: short }), undefined)
  assert.is(readWord({ ...call, returnData: one, ok: false }), undefined)
  assert.is(readWord(undefined), undefined)
  for (const other of [told(short), told(7), refused('busy'), undefined])
    assert.is(readWordOutcome(other), undefined)
})
s('takes silence for silence, and nothing else [teeth/simulated]', async () => {
  assert.is(await orSilent(Promise.resolve(7)), 7)
  assert.is(await orSilent(Promise.reject(new RpcTransportError('timeout'))), 'silent')
  const mistake = new Error('a mistake of ours')
  assert.is(await orSilent(Promise.reject(mistake)).catch((error: unknown) => error), mistake)
})
s.run()
