import { mock } from 'node:test'
import { assert, suite } from '../fixtures/test.ts'
import type { RpcOutcome } from './rpc/rpcBatch.ts'
import { told } from './testing/answers.ts'
import { calls, faultOf, freeTimers, holdTimers, openBefore } from './testing/upstreams.ts'

/** What is asked of a chain beside its other work, a few at a time. */
const s = suite('simulator/upstreamPlaces')
s.after.each(freeTimers)

s('asks apart three at a time, two of one caller, and others in their turn', async () => {
  holdTimers()
  const waiting: ((answer: readonly RpcOutcome[]) => void)[] = []
  const { upstream } = openBefore(() => new Promise((resolve) => waiting.push(resolve)))
  const turns = async () => {
    for (let n = 0; n < 5; n += 1) await new Promise(setImmediate)
  }
  const ask = (caller: string, signal?: AbortSignal) =>
    faultOf(upstream.sendApart(calls, { caller, signal }))
  const leaving = new AbortController()
  const [first, ...others] = [ask('one'), ask('one'), ask('two')]
  const [third, left] = [ask('one'), ask('three', leaving.signal)]
  await turns()
  assert.is(waiting.length, 3)
  leaving.abort()
  assert.is(await left, 'aborted')
  waiting[0]?.([told('0x1')])
  assert.is(await first, 'answered')
  await turns()
  assert.is(waiting.length, 4)
  const late = ask('one')
  await turns()
  mock.timers.tick(1_500)
  // Who was let in waits for the node as long, and who was not for a place.
  assert.equal(await Promise.all([late, third, ...others]), Array(4).fill('timeout'))
  assert.is(waiting.length, 4)
})
s('has four runs of the first node at once, until each has ended [relay/node-places]', async () => {
  holdTimers()
  const asked: unknown[] = []
  const ends: ((answer: readonly RpcOutcome[]) => void)[] = []
  const { upstream } = openBefore((_calls, purpose, whom) => {
    asked.push([purpose, whom])
    return new Promise((resolve) => ends.push(resolve))
  })
  const pass = async (ms: number) => {
    mock.timers.tick(ms)
    for (let n = 0; n < 5; n += 1) await new Promise(setImmediate)
  }
  const isUnsent = async () => {
    const sending = upstream.sendToFirst(calls)
    await pass(999)
    let isThere = false
    void sending.then(() => {
      isThere = true
    })
    await pass(0)
    assert.not.ok(isThere)
    await pass(1)
    return (await sending) === 'unsent'
  }
  const runs = Array.from({ length: 4 }, () => faultOf(upstream.sendToFirst(calls)))
  await pass(0)
  assert.equal(asked, Array(4).fill(['simulation', 'first']))
  assert.ok(await isUnsent())
  await pass(1_500)
  assert.equal(await Promise.all(runs), Array(4).fill('timeout'))
  // The node may still be at work on what nobody waits for any more.
  assert.ok(await isUnsent())
  // What strangers have made has places of its own.
  const apart = faultOf(upstream.sendApart(calls))
  await pass(0)
  assert.is(asked.length, 5)
  const next = faultOf(upstream.sendToFirst(calls))
  await pass(999)
  assert.is(asked.length, 5)
  for (const end of ends) end([told('0x1')])
  assert.is(await apart, 'answered')
  await pass(0)
  assert.is(asked.length, 6)
  ends[5]?.([told('0x1')])
  assert.is(await next, 'answered')
})
s('counts neither what fails of such runs nor what does not [relay/node-counts]', async () => {
  let isDown = false
  const { upstream } = openBefore(async (of, _purpose, whom) =>
    of.map(() => (isDown === (whom === 'first') ? told('0x1') : undefined)),
  )
  const run = () => faultOf(upstream.sendToFirst(calls))
  for (let n = 0; n < 3; n += 1) assert.is(await run(), 'connection')
  assert.equal([upstream.isAnswering(), await faultOf(upstream.send(calls))], [true, 'answered'])
  isDown = true
  assert.is(await faultOf(upstream.send(calls)), 'connection')
  assert.equal([await run(), upstream.isAnswering()], ['answered', false])
  await faultOf(upstream.send(calls))
  // It is known to be down now.
  assert.is(await upstream.sendToFirst(calls), 'unsent')
})
s(
  'gives the place of such a run back where it is not wanted any more, or throws [relay/node-places]',
  async () => {
    let isBroken = true
    const { upstream } = openBefore(() => {
      if (isBroken) throw new RangeError('a mistake of ours')
      return Promise.resolve([told('0x1')])
    })
    for (let n = 0; n < 5; n += 1) {
      assert.is(await faultOf(upstream.sendToFirst(calls)), 'RangeError: a mistake of ours')
      assert.is(await upstream.sendToFirst(calls, () => false), 'unsent')
    }
    isBroken = false
    assert.equal(await upstream.sendToFirst(calls), [told('0x1')])
  },
)
s('sends no such run that may not be spent [relay/node-budget]', async () => {
  let isSpent = true
  const { upstream } = openBefore(async () => (isSpent ? 'over_budget' : [told('0x1')]))
  for (let n = 0; n < 6; n += 1) assert.is(await upstream.sendToFirst(calls), 'unsent')
  isSpent = false
  assert.equal(await upstream.sendToFirst(calls), [told('0x1')])
})
s.run()
