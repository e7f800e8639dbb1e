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
    assert.is(hold(4).takeBatch(endpointOf(most)).length, taken, `${most} bytes`)
  assert.is(hold(12).takeBatch(endpointOf()).length, 9)
})

s('go when they are due, to who has not had nothing to say [teeth/queue-due]', () => {
  let nowMs = 1_000
  const reading = mock.method(performance, 'now', () => nowMs).mock
  try {
    const [one, other] = [endpointOf(), endpointOf()]
    const queue = hold(2)
    const taken = queue.takeBatch(one)
    assert.equal([taken.length, queue.isEmpty(), queue.soonestMs(one)], [2, true, undefined])
    for (const [index, asked] of taken.entries()) asked.notBeforeMs = 1_100 + index
    taken[1]?.avoided.add(other)
    queue.putBack(taken)
    assert.equal([queue.isEmpty(), queue.soonestMs(one)], [false, 1_100])
    nowMs = 1_099
    assert.equal(queue.takeBatch(one), [])
    nowMs = 1_100
    assert.equal(queue.takeBatch(one), [taken[0]])
    assert.equal([queue.soonestMs(one), queue.soonestMs(other)], [1_101, undefined])
    nowMs = 1_200
    assert.equal(queue.takeBatch(other), [])
    assert.equal(
      queue.takeWhere(({ sinceMs }) => sinceMs > 1_000),
      [],
    )
    assert.equal(
      queue.takeWhere(({ sinceMs }) => sinceMs === 1_000),
      [taken[1]],
    )
    assert.equal([queue.isEmpty(), queue.takeAll()], [true, []])
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
      const taken = queue.takeBatch(endpoint)
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
  const [apart] = queue.takeWhere(
    ({ call: { method }, isAlone }) => method === 'eth_getBalance' && !isAlone,
  )
  if (apart) queue.putBack([Object.assign(apart, { isApart: true })])
  const batches: string[] = []
  for (let batch = queue.takeBatch(endpointOf()); batch.length > 0; ) {
    batches.push(batch.map(({ call: { method } }) => method).join())
    batch = queue.takeBatch(endpointOf())
  }
  const both = 'eth_getCode,eth_getBalance'
  assert.equal(batches, ['eth_getCode', 'eth_getBalance', 'eth_getCode', both])
})
s.run()
