import { mock } from 'node:test'
import { numberToHex } from 'viem'
import { createStandInFork } from '../fixtures/anvil/standInFork.ts'
import { assert, suite } from '../fixtures/test.ts'
import type { Fork, StartFork } from './fork.ts'
import type { Freshness } from './freshness.ts'
import type { GenerationEvent } from './generation.ts'
import { createRollingForks } from './rollingForks.ts'
import { RpcTransportError } from './rpc/rpcBatch.ts'
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
  let [isAlive, isWarm, nowMs] = [true, false, 0]
  /** Of its own making, to whoever asks. */
  let fault: Error | undefined
  let branch = ''
  let of = chainId
  const made: ReturnType<typeof createStandInFork>[] = []
  const asked: (readonly [url: string, niceness: number | undefined])[] = []
  const events: GenerationEvent[] = []
  const hashed = (number: bigint): BlockId => ({
    ...block(number),
    blockHash: `0x${branch}${number}`,
  })
  const upstream: Upstream = {
    readHead: async () => (fault ? Promise.reject(fault) : hashed(head)),
    readBlock: async ({ blockNumber }) => hashed(blockNumber),
    readChainId: async () => of,
    send: async (calls) => calls.map(() => ({ ok: true, result: '0x' })),
    sendApart: async () => [],
    sendToFirst: async () => 'unsent',
    isAnswering: () => true,
    close: async () => {},
  }
  const relay: UpstreamRelay = {
    open: async () => ({
      forFork: () => ({ url: 'http://127.0.0.1:2', warmed: () => undefined }),
      slowUrl: 'http://127.0.0.1:3',
    }),
    prefetch: async () => {},
    hotAccounts: () => [{ address: '0x000000000000000000000000000000000000beef', slots: [] }],
    used: () => undefined,
    forget: () => undefined,
    close: async () => {},
  }
  const startFork: StartFork = async ({ blockNumber, upstreamUrl, niceness }) => {
    asked.push([upstreamUrl, niceness])
    const smoke = [blockNumber, []].map((result) => ({
      ok: true as const,
      result: typeof result === 'bigint' ? numberToHex(result) : result,
    }))
    const batch: Fork['rpc']['batch'] = async ([call]) =>
      call?.method === 'eth_call' && !isWarm ? new Promise(() => undefined) : smoke
    const fork = createStandInFork({ batch, isAlive: () => isAlive })
    made.push(fork)
    return fork.fork
  }
  const log = (event: GenerationEvent) => void events.push(event)
  const forks = createRollingForks(
    { startFork, upstream, relay, log, now: () => nowMs },
    { chainId, freshness },
  )
  return {
    forks,
    made,
    asked,
    events,
    told: () => events.map(({ event, reason }) => (reason ? `${event}: ${reason}` : event)),
    standing: () => forks.current()?.blockNumber,
    set(given: {
      head?: bigint
      fault?: Error
      branch?: string
      chainId?: number
      nowMs?: number
    }) {
      head = given.head ?? head
      fault = given.fault
      branch = given.branch ?? branch
      of = given.chainId ?? of
      nowMs = given.nowMs ?? nowMs
    },
    warm(is = true) {
      isWarm = is
    },
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
s(
  'waits no longer where what stands is to be replaced, or may not answer [teeth/forks-roll]',
  async () => {
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
  },
)
s(
  'makes one fork of a head, for all who ask meanwhile, and none where it stands [teeth/forks-roll]',
  async () => {
    const { forks, made, warm, set, standing, events } = open(interval)
    warm()
    const first = forks.refresh()
    await forks.refresh()
    assert.equal([made.length, standing(), forks.confirmedAtMs()], [1, 1n, 0])
    await first
    set({ nowMs: 700 })
    await forks.refresh()
    assert.equal([made.length, forks.confirmedAtMs()], [1, 700])
    set({ head: 2n, nowMs: 900 })
    await forks.refresh()
    assert.equal([made.length, standing(), forks.confirmedAtMs()], [2, 2n, 900])
    assert.equal(events.at(-1), { event: 'fork_ready', chainId, blockNumber: 2n, elapsedMs: 0 })
    // What something in it holds up is replaced, though its block is still the head.
    forks.current()?.condemn()
    await turns()
    assert.equal([made.length, standing()], [3, 2n])
    assert.equal(
      made.map(({ isKilled }) => isKilled()),
      [true, true, false],
    )
    await forks.close()
    assert.ok(made.at(-1)?.isKilled())
  },
)
s(
  'has suspects run behind everybody else, by an upstream of their own [teeth/forks-roll]',
  async () => {
    const { forks, asked, warm } = open(interval)
    warm()
    await forks.refresh()
    await forks.current()?.slowFork()
    assert.equal(asked, [
      ['http://127.0.0.1:2', undefined],
      ['http://127.0.0.1:3', 19],
    ])
    await forks.close()
  },
)
s('drops a fork whose block is gone before another one stands [teeth/forks-roll]', async () => {
  const { forks, warm, set, standing, told } = open(interval)
  warm()
  await forks.refresh()
  warm(false)
  set({ head: 2n, branch: 'f' })
  void forks.refresh()
  await turns()
  assert.is(standing(), undefined)
  mock.timers.tick(250)
  await turns()
  assert.is(standing(), 2n)
  // Nor is anything read from a node that answers for another chain.
  set({ head: 3n, chainId: 1 })
  await forks.refresh()
  assert.is(standing(), undefined)
  assert.equal(told(), [
    'fork_ready',
    'reorg',
    'fork_ready',
    `fork_refused: simulator unavailable on chain ${chainId}: its upstream is another chain`,
  ])
  await forks.close()
})
s(
  'keeps a fork while the chain does not answer, and says why without its address [teeth/forks-roll]',
  async () => {
    const { forks, warm, set, standing, told } = open(interval)
    warm()
    await forks.refresh()
    for (const fault of [new Error('http://key@node'), new RpcTransportError('connection')]) {
      set({ head: 2n, fault })
      await forks.refresh()
      assert.is(standing(), 1n)
    }
    assert.equal(told().slice(1), [
      'fork_refused: the chain or its fork does not answer',
      'fork_refused: rpc connection',
    ])
    await forks.close()
  },
)
s('leaves no fork behind that was being made when it was closed [teeth/forks-roll]', async () => {
  const { forks, made, set, told } = open(interval)
  const making = forks.rollTo({ ...block(1n), askedAtMs: 0 }).catch((error: Error) => error.message)
  await turns()
  assert.not.ok(forks.isClosed())
  let isOver = false
  const closing = forks.close().then(() => {
    isOver = true
  })
  await turns()
  assert.equal([forks.isClosed(), isOver], [true, false])
  mock.timers.tick(250)
  await closing
  assert.is(await making, `simulator unavailable on chain ${chainId}: it is shutting down`)
  assert.ok(made[0]?.isKilled())
  set({ head: 2n })
  await forks.refresh()
  assert.equal([made.length, told()], [1, []])
})
s.run()
