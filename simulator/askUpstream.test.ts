import { setTimeout as wait } from 'node:timers/promises'
import { assert, suite } from '../fixtures/test.ts'
import { RpcTransportError } from './rpc/rpcBatch.ts'
import { type AskUpstream, createUpstream } from './upstream.ts'

const s = suite("an upstream behind somebody else's client")
const calls = [1, 2].map((n) => ({ method: 'eth_getBalance', params: [`0x${n}`, 'latest'] }))
const send = (ask: AskUpstream) =>
  createUpstream({ chainId: 8453, urls: [], ask })
    .send(calls)
    .then(
      (outcomes) => outcomes.map((outcome) => outcome.ok),
      (error: unknown) => (error instanceof RpcTransportError ? error.fault : 'another error'),
    )

s('has each call for itself [nodes/forks-too]', async () => {
  const some: AskUpstream = async () => [{ ok: true, result: '0x1' }, undefined]
  assert.equal(await send(some), [true, false])
})

s('is out of reach where none was answered, or none in time', async () => {
  assert.is(await send(async () => [undefined, undefined]), 'connection')
  const late = await send((asked) =>
    wait(
      5_000,
      asked.map(() => undefined),
      { ref: false },
    ),
  )
  assert.is(late, 'timeout')
})

s(
  'is asked where its head is, however late its other answers were, and then for others',
  async () => {
    const head = { number: '0x7', hash: '0x77', timestamp: '0x1' }
    let asked = 0
    const ask: AskUpstream = async (_calls, purpose) => {
      if (purpose === 'sync') return [{ ok: true, result: head }]
      asked += 1
      return [undefined]
    }
    const upstream = createUpstream({ chainId: 8453, urls: [], ask })
    const read = () => upstream.send(calls).catch((error: RpcTransportError) => error.fault)
    for (let round = 0; round < 4; round += 1) assert.is(await read(), 'connection')
    assert.is(asked, 2)
    assert.is((await upstream.readHead()).blockNumber, 7n)
    assert.is(await read(), 'connection')
    assert.is(asked, 3)
  },
)
s('takes what it may not spend for no fault of the chain [17/over-budget]', async () => {
  let isSpent = true
  const ask: AskUpstream = async () => (isSpent ? 'over_budget' : [{ ok: true, result: '0x1' }])
  const upstream = createUpstream({ chainId: 8453, urls: [], ask })
  const read = (purpose: 'simulation' | 'warmUp') =>
    upstream.send(calls, purpose).then(
      () => 'answered',
      (error: RpcTransportError) => error.fault,
    )
  for (let round = 0; round < 4; round += 1) assert.is(await read('warmUp'), 'over_budget')
  assert.ok(upstream.isAnswering())
  isSpent = false
  assert.is(await read('simulation'), 'answered')
})

s("is not left alone for what strangers' dry runs cost it [17/heavy-apart]", async () => {
  let isHeavy = true
  const ask: AskUpstream = async (asked) =>
    asked.map(() => (isHeavy ? undefined : { ok: true, result: '0x1' }))
  const upstream = createUpstream({ chainId: 8453, urls: [], ask })
  for (let round = 0; round < 4; round += 1) {
    const outcome = await upstream.sendApart(calls).catch((error: RpcTransportError) => error.fault)
    assert.is(outcome, 'connection')
  }
  assert.ok(upstream.isAnswering())
  isHeavy = false
  assert.is((await upstream.send(calls)).length, 2)
})

s("has two of a stranger's dry runs at once, until each has ended [17/heavy-apart]", async () => {
  const ends: (() => void)[] = []
  const ask: AskUpstream = (asked, purpose) => {
    if (purpose === 'sync') return Promise.resolve(asked.map(() => ({ ok: true, result: '0x1' })))
    return new Promise((resolve) => ends.push(() => resolve(asked.map(() => undefined))))
  }
  const upstream = createUpstream({ chainId: 8453, urls: [], ask })
  const fault = () => upstream.sendApart(calls).catch((error: RpcTransportError) => error.fault)
  const runs = [fault(), fault(), fault()]
  // The third has no place as long as a node may still be at work on the first two.
  assert.equal(await Promise.all(runs), ['timeout', 'timeout', 'timeout'])
  assert.is(ends.length, 2)
  assert.is((await upstream.send(calls, 'sync')).length, 2)
  // Nor does somebody else wait for them, as long as there is somebody who does.
  const gone = AbortSignal.abort()
  const faultOf = (error: RpcTransportError) => error.fault
  assert.is(await upstream.sendApart(calls, { signal: gone }).catch(faultOf), 'aborted')
  const other = upstream.sendApart(calls, { caller: 'other' }).catch(faultOf)
  await new Promise((resolve) => setImmediate(resolve))
  assert.is(ends.length, 3)
  for (const end of ends.splice(0)) end()
  assert.is(await other, 'connection')
  const next = fault()
  await new Promise((resolve) => setImmediate(resolve))
  assert.is(ends.length, 1)
  for (const end of ends) end()
  assert.is(await next, 'connection')
})
s.run()
