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
s('loads all slots of an account by code in its place, and asks nothing for none', async () => {
  const asked: unknown[] = []
  const told: unknown[] = []
  const rpc: Pick<RpcEndpoint, 'batch'> = {
    async batch(calls) {
      asked.push(...calls)
      return []
    },
  }
  const warmed = (unfetched: unknown) => void told.push(unfetched)
  const [one, two] = [addressOf('a'), addressOf('b')]
  const many = [
    { address: one, slots: ['0x1', '0x2'] },
    { address: two, slots: [] },
  ] as const
  const endpoint = { ...rpc, close: async () => undefined }
  await warmFork(endpoint, { accounts: [], warmed })
  assert.equal([asked.length, told.splice(0)], [0, [undefined]])
  await warmFork(endpoint, { accounts: many, warmed })
  const load = (slot: string) => `7f${slot.padStart(64, '0')}5450`
  const call = (address: string, code: string) => ({
    method: 'eth_call',
    params: [
      { to: address, gas: '0x4c4b40', data: '0x' },
      'latest',
      { [address]: { code: `0x${code}00` } },
    ],
  })
  assert.equal(asked, [call(one, load('1') + load('2')), call(two, '')])
  assert.equal(told, [undefined])
})
s.run()
