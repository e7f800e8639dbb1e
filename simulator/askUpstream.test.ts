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
s.run()
