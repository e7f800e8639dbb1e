import { mock } from 'node:test'
import { assert, suite } from '../../../fixtures/test.ts'
import { createCallQueue } from './callQueue.ts'
import type { Endpoint } from './endpoint.ts'
import { encodeCalls } from './upstream.ts'

const s = suite('calls that were not sent')
const waiting = { isFirst: false, patienceMs: 1_000, blockPatienceMs: 0 }
const call = { method: 'eth_getCode', params: [] }
const endpointOf = (bodyBytes?: number) =>
  ({ limits: { batchCalls: () => 9, read: () => ({ bodyBytes }) } }) as unknown as Endpoint

function hold(count: number) {
  const queue = createCallQueue()
  for (let left = count; left > 0; left -= 1) queue.add(call, waiting, () => undefined)
  return queue
}

/** The first of them, and what goes with it. */
function takeNext(queue: ReturnType<typeof hold>, endpoint: Endpoint) {
  const [first] = queue.inOrder()
  return first ? queue.takeBatch(first, endpoint) : []
}

s('go as many together as fit into a body, and one at least [teeth/queue-bytes]', () => {
  // With a comma, or a bracket.
  const bytes = encodeCalls([call]).length + 1
  for (const [most, taken] of [
    [undefined, 4],
    [4 * bytes, 4],
    [4 * bytes - 1, 3],
    [2 * bytes, 2],
    [1, 1],
  ] as const)
    assert.is(takeNext(hold(4), endpointOf(most)).length, taken, `${most} bytes`)
  assert.is(takeNext(hold(12), endpointOf()).length, 9)
})

s('go along when they are due, to who has not had nothing to say [teeth/queue-due]', () => {
  let nowMs = 1_000
  const reading = mock.method(performance, 'now', () => nowMs).mock
  try {
    const [one, other] = [endpointOf(), endpointOf()]
    const queue = hold(3)
    const taken = takeNext(queue, one)
    const [lead, second, third] = taken
    if (!lead || !second || !third) throw new Error('three were held')
    assert.ok(queue.isEmpty())
    second.notBeforeMs = 1_100
    third.notBeforeMs = 1_101
    third.avoided.add(other)
    queue.putBack(taken)
    assert.equal([queue.isEmpty(), queue.inOrder()], [false, taken])
    nowMs = 1_099
    assert.equal(takeNext(queue, one), [lead])
    queue.putBack([lead])
    nowMs = 1_100
    assert.equal(takeNext(queue, one), [lead, second])
    assert.equal([queue.has(lead), queue.has(third)], [false, true])
    queue.putBack([lead, second])
    nowMs = 1_101
    assert.equal(takeNext(queue, other), [lead, second])
    assert.equal([queue.takeAll(), queue.isEmpty()], [[third], true])
  } finally {
    reading.restore()
  }
})

s(
  'are as many of logs, or of others, as an endpoint takes, none tried yet [teeth/queue-new]',
  () => {
    const batchCalls = (asking?: string) => (asking === 'logs' ? 2 : 3)
    const endpoint = { limits: { batchCalls, read: () => ({}) } } as unknown as Endpoint
    for (const [method, count] of [
      ['eth_getLogs', 2],
      ['eth_getCode', 3],
    ] as const) {
      const queue = createCallQueue()
      for (let left = 4; left > 0; left -= 1)
        queue.add({ method, params: [] }, waiting, () => undefined)
      const taken = takeNext(queue, endpoint)
      assert.is(taken.length, count)
      for (const { faults, unanswered, notBeforeMs } of taken)
        assert.equal([faults, unanswered, notBeforeMs], [0, 0, 0])
    }
  },
)

s('go alone where they are told to, each with its like [teeth/queue-alone]', () => {
  const queue = createCallQueue()
  const add = (method: string, more: object = {}) =>
    queue.add({ method, params: [] }, { ...waiting, ...more }, () => undefined)
  add('eth_getCode')
  add('eth_getCode', { isAlone: true })
  add('eth_getCode', { isFirst: true })
  add('eth_getBalance', { isAlone: true })
  add('eth_getBalance')
  const apart = queue
    .inOrder()
    .find(({ call: { method }, isAlone }) => method === 'eth_getBalance' && !isAlone)
  if (apart) queue.putBack(queue.take([Object.assign(apart, { isApart: true })]))
  const batches: string[] = []
  for (let batch = takeNext(queue, endpointOf()); batch.length > 0; ) {
    batches.push(batch.map(({ call: { method } }) => method).join())
    batch = takeNext(queue, endpointOf())
  }
  const both = 'eth_getCode,eth_getBalance'
  assert.equal(batches, ['eth_getCode', 'eth_getBalance', 'eth_getCode', both])
})
s.run()
