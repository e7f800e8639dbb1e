import { mock } from 'node:test'
import { assert, suite } from '../fixtures/test.ts'
import type { HotAccount } from './hotSet.ts'
import { type RpcEndpoint, RpcTransportError } from './rpc/rpcBatch.ts'
import { addressOf } from './testing/answers.ts'
import { warmFork } from './warmFork.ts'

const s = suite('simulator/warmFork')
s.before.each(() => mock.timers.enable({ apis: ['setTimeout'] }))
s.after.each(() => mock.timers.reset())

const accounts: readonly HotAccount[] = [{ address: addressOf('a'), slots: ['0x1'] }]
/** What is told of a warm-up by ten seconds later, and when. */
async function warm(batch: RpcEndpoint['batch']) {
  const told: (readonly [ms: number, unfetched: readonly HotAccount[] | undefined])[] = []
  let nowMs = 0
  const rpc = { batch, close: async () => undefined }
  const warming = warmFork(rpc, {
    accounts,
    warmed: (unfetched) => void told.push([nowMs, unfetched]),
  })
  await new Promise(setImmediate)
  while (nowMs < 10_000) {
    nowMs += 250
    mock.timers.tick(250)
    await new Promise(setImmediate)
  }
  await warming
  return told
}

s('is told whose the reads are until a warm-up is over, however late [17/warm-heard]', async () => {
  const told = await warm((_, { timeoutMs }) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly []>()
    setTimeout(() => reject(new RpcTransportError('timeout')), timeoutMs)
    setTimeout(() => resolve([]), 9_000)
    return promise
  })
  assert.equal(told, [
    [250, accounts],
    [9_000, undefined],
  ])
})
s('of one that failed all counts: the next fork is to have it [17/warm-failed]', async () => {
  const told = await warm(() => Promise.reject(new RpcTransportError('connection')))
  assert.equal(told, [[0, undefined]])
})
s.run()
