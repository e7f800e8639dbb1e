import { mock } from 'node:test'
import { assert, suite } from '../fixtures/test.ts'
import type { Fork } from './fork.ts'
import type { Freshness } from './freshness.ts'
import { createRollingForks } from './rollingForks.ts'
import type { BlockId, Upstream } from './upstream.ts'
import type { UpstreamRelay } from './upstreamRelay.ts'

/** Beside forks that never get warm, by a clock that is set here. */
const s = suite('simulator/rollingForks')
s.before(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }))
s.after(() => mock.timers.reset())

const chainId = 8453
const interval = { mode: 'interval', everyMs: 1_000 } as const
const block = (number: bigint): BlockId => ({
  blockNumber: number,
  blockHash: `0x${number}`,
  timestampSecs: number,
})
const turns = async () => {
  for (let n = 0; n < 5; n += 1) await new Promise(setImmediate)
}

function open(freshness: Freshness) {
  let head = 1n
  let isAlive = true
  const upstream: Upstream = {
    readHead: async () => block(head),
    readBlock: async ({ blockNumber }) => block(blockNumber),
    readChainId: async () => chainId,
    send: async (calls) => calls.map(() => ({ ok: true, result: '0x' })),
    sendApart: async () => [],
    isAnswering: () => true,
    close: async () => {},
  }
  const relay: UpstreamRelay = {
    open: async () => ({ url: 'http://127.0.0.1:2', slowUrl: 'http://127.0.0.1:3' }),
    prefetch: async () => {},
    hotAccounts: () => [{ address: '0x000000000000000000000000000000000000beef', slots: [] }],
    used: () => undefined,
    close: async () => {},
  }
  async function startFork({ blockNumber }: { readonly blockNumber: bigint }): Promise<Fork> {
    const exit = Promise.withResolvers<void>()
    const batch: Fork['rpc']['batch'] = ([call]) =>
      call?.method === 'eth_call'
        ? new Promise(() => undefined)
        : Promise.resolve([
            { ok: true, result: `0x${blockNumber.toString(16)}` },
            { ok: true, result: [] },
          ])
    return {
      rpc: { batch, close: async () => {} },
      url: 'http://127.0.0.1:1',
      exited: exit.promise,
      isAlive: () => isAlive,
      kill: async () => exit.resolve(),
    }
  }
  const forks = createRollingForks(
    { startFork, upstream, relay, log: () => undefined, now: () => 0 },
    { chainId, freshness },
  )
  return {
    forks,
    stall() {
      isAlive = false
    },
    /** Of what is made for another block. */
    async assertWaits(ms: number) {
      head += 1n
      void forks.refresh()
      await turns()
      mock.timers.tick(ms - 1)
      await turns()
      assert.is.not(forks.current()?.blockNumber, head, `${ms} ms`)
      mock.timers.tick(1)
      await turns()
      assert.is(forks.current()?.blockNumber, head, `${ms} ms`)
    },
  }
}

s(
  'waits longer for a fork to be warm while another one answers, and for no more than that [strangers/warm-roll]',
  async () => {
    const { forks, assertWaits, stall } = open(interval)
    await assertWaits(250)
    await assertWaits(1_500)
    stall()
    await assertWaits(250)
    await forks.close()
  },
)
s('waits no longer where what stands is to be replaced, or may not answer', async () => {
  const condemned = open(interval)
  await condemned.assertWaits(250)
  const standing = condemned.forks.current()
  if (standing) standing.condemned = true
  await condemned.assertWaits(250)
  await condemned.forks.close()
  // Each request is answered from the head as it is then.
  const lab = open({ mode: 'head' })
  for (const ms of [250, 250]) await lab.assertWaits(ms)
  await lab.forks.close()
})
s.run()
