import { setTimeout as wait } from 'node:timers/promises'
import { createStandInFork } from '../fixtures/anvil/standInFork.ts'
import { assert, suite } from '../fixtures/test.ts'
import type { Fork, StartFork } from './fork.ts'
import type { HotAccount } from './hotSet.ts'
import { makeFork, WrongUpstream } from './makeFork.ts'
import { type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'
import type { BlockId, Upstream } from './upstream.ts'
import type { ForkDoor, UpstreamRelay } from './upstreamRelay.ts'

const s = suite('simulator/makeFork')
const target: BlockId = { blockNumber: 16n, blockHash: '0x10', timestampSecs: 1_700_000_000n }
const hot: readonly HotAccount[] = [
  { address: '0x000000000000000000000000000000000000beef', slots: [] },
]
const answer = (result: unknown): RpcOutcome => ({ ok: true, result })
const fault: RpcOutcome = { ok: false, code: -32000, message: 'no such state', data: undefined }

/** Makes a fork that answers its smoke test so, over a chain whose block may be another one by then. */
async function make({
  answers,
  blockHash = target.blockHash,
  warmMs,
  accounts = hot,
  warm = async () => [],
  prefetch = async () => undefined,
  warmed = () => undefined,
  exited = new Promise(() => {}),
  startFork,
}: {
  answers: readonly RpcOutcome[] | Promise<readonly RpcOutcome[]>
  blockHash?: BlockId['blockHash']
  warmMs?: number | undefined
  accounts?: readonly HotAccount[] | undefined
  /** Its warm-up. */
  warm?: (() => Promise<readonly RpcOutcome[]>) | undefined
  prefetch?: UpstreamRelay['prefetch'] | undefined
  /** Told which of what it reads is for others from now on. */
  warmed?: ForkDoor['warmed'] | undefined
  exited?: Promise<void> | undefined
  startFork?: StartFork | undefined
}) {
  let kills = 0
  const batch: Fork['rpc']['batch'] = async ([call]) =>
    call?.method === 'eth_call' ? warm() : answers
  const fork: Fork = {
    rpc: { batch, close: async () => {} },
    url: 'http://127.0.0.1:1',
    exited,
    isAlive: () => true,
    kill: async () => {
      kills += 1
    },
  }
  const upstream: Upstream = {
    readHead: async () => target,
    readBlock: async () => ({ ...target, blockHash }),
    readChainId: async () => 8453,
    send: async (calls) => calls.map(() => answer('0x')),
    sendApart: async () => [],
    sendToFirst: async () => 'unsent',
    isAnswering: () => true,
    close: async () => {},
  }
  const relay: UpstreamRelay = {
    open: async () => ({
      forFork: () => ({ url: 'http://127.0.0.1:2', warmed }),
      slowUrl: 'http://127.0.0.1:3',
    }),
    prefetch,
    hotAccounts: () => accounts,
    used: () => undefined,
    forget: () => undefined,
    close: async () => {},
  }
  const made = await makeFork(
    { startFork: startFork ?? (async () => fork), upstream, relay },
    { chainId: 8453, target, warmMs },
  ).catch((error: Error) => error.message)
  return { made, kills }
}

/** Whether the fork was warm when it was handed out, its warm-up being a slow one. */
async function makeSlowly(warmMs: number | undefined) {
  let isWarm = false
  const warm = async () => {
    await wait(600)
    isWarm = true
    return []
  }
  await make({ answers: [answer('0x10'), answer([])], warmMs, warm })
  return { isWarm }
}

s(
  'hands out a fork when it is warm, as long as that may take [strangers/warm-takeover]',
  async () => {
    assert.ok((await makeSlowly(60_000)).isWarm)
    assert.not.ok((await makeSlowly(undefined)).isWarm, 'without another fork, sooner')
  },
)

s(
  'takes what a fork reads for its warm-up until it is handed out, and what that lacks until it is through or the fork is gone [17/warm-door]',
  async () => {
    const answers = [answer('0x10'), answer([])]
    const told: (readonly HotAccount[] | undefined)[] = []
    const warmed: ForkDoor['warmed'] = (unfetched) => void told.push(unfetched)
    const { promise: warming, resolve: warm } = Promise.withResolvers<readonly RpcOutcome[]>()
    await make({ answers, warmMs: 0, warmed, warm: () => warming })
    assert.equal(told.splice(0), [hot], 'it is under way')
    warm([])
    await new Promise(setImmediate)
    assert.equal(told.splice(0), [undefined], 'it has all')
    const { promise: exited, resolve: exit } = Promise.withResolvers<void>()
    await make({ answers, warmMs: 0, warmed, exited, warm: () => new Promise(() => undefined) })
    assert.equal(told.splice(0), [hot], 'it may still read')
    exit()
    await exited
    assert.equal(told.splice(0), [undefined], 'it is gone')
    await make({ answers, warmed })
    assert.equal(told.splice(0), [undefined])
    await make({ answers, warmed, startFork: () => Promise.reject(new Error('no room')) })
    assert.equal(told.splice(0), [undefined], 'there is none')
  },
)

s(
  'takes for its own what a fork reads for its smoke test, also where there is nothing to warm it with [17/smoke-own]',
  async () => {
    for (const accounts of [[], hot]) {
      const told: unknown[] = []
      const { promise: answers, resolve: pass } = Promise.withResolvers<readonly RpcOutcome[]>()
      const made = make({ answers, accounts, warmed: (unfetched) => void told.push(unfetched) })
      await new Promise(setImmediate)
      assert.equal(told, [])
      pass([answer('0x10'), answer([])])
      await made
      assert.equal(told, [undefined])
    }
  },
)

s(
  'warms none up by its own reads where there is nothing to spend for it [nodes/warm-unpaid]',
  async () => {
    const answers = [answer('0x10'), answer([])]
    const isWarmedAfter = async (error: Error) => {
      let isWarmed = false
      const warm = async () => {
        isWarmed = true
        return []
      }
      const { kills } = await make({ answers, warm, prefetch: () => Promise.reject(error) })
      assert.is(kills, 0)
      return isWarmed
    }
    assert.not.ok(await isWarmedAfter(new RpcTransportError('over_budget')))
    assert.ok(await isWarmedAfter(new RpcTransportError('timeout')))
  },
)

s('hands out a fork that knows its block and runs a call', async () => {
  const { made, kills } = await make({ answers: [answer('0x10'), answer([])] })
  assert.type(made, 'object')
  assert.is(kills, 0)
})
const refusals: readonly (readonly [what: string, answers: readonly RpcOutcome[]])[] = [
  ['stands on another block', [answer('0xf'), answer([])]],
  ['cannot run a call', [answer('0x10'), fault]],
  ['does not know its block', [fault, answer([])]],
  ['answers nothing', []],
]
for (const [what, answers] of refusals)
  s(`ends a fork that ${what}, and hands it to nobody`, async () => {
    assert.equal(await make({ answers }), { made: 'the fork failed its smoke test', kills: 1 })
  })
s('ends a fork whose block the chain has since replaced', async () => {
  const { made, kills } = await make({
    answers: [answer('0x10'), answer([])],
    blockHash: '0x11',
  })
  assert.match(String(made), /reorganised/)
  assert.is(kills, 1)
})

type Given = {
  readonly chainId?: number
  readonly precompiles?: 'arbOs'
  readonly send?: Upstream['send']
  readonly readBlock?: Upstream['readBlock']
  readonly prefetch?: UpstreamRelay['prefetch']
  readonly batch?: Fork['rpc']['batch']
}
async function makeBy({
  chainId = 8453,
  precompiles,
  send = async (calls) => calls.map(() => answer('0x')),
  readBlock = async () => target,
  prefetch = async () => undefined,
  batch = async () => [answer('0x10'), answer([])],
}: Given = {}) {
  const asked: unknown[] = []
  const standIn = createStandInFork({
    batch(calls, limits) {
      asked.push(
        calls.map(({ method }) => method),
        limits,
      )
      return batch(calls, limits)
    },
  })
  const started: object[] = []
  const prefetched: BlockId[] = []
  const made = await makeFork(
    {
      async startFork(parameters) {
        started.push(parameters)
        return standIn.fork
      },
      upstream: {
        readHead: async () => target,
        readBlock,
        readChainId: async () => chainId,
        send,
        sendApart: async () => [],
        sendToFirst: async () => 'unsent',
        isAnswering: () => true,
        close: async () => undefined,
      },
      relay: {
        open: async () => ({
          forFork: () => ({ url: 'http://127.0.0.1:2', warmed: () => undefined }),
          slowUrl: 'http://127.0.0.1:3',
        }),
        prefetch(block) {
          prefetched.push(block)
          return prefetch(block)
        },
        hotAccounts: () => [],
        used: () => undefined,
        forget: () => undefined,
        close: async () => undefined,
      },
    },
    { chainId: 8453, target, ...(precompiles && { settings: { precompiles } }) },
  ).catch((error: unknown) => error)
  return { made, asked, started, prefetched, kills: standIn.kills, fork: standIn.fork }
}
const unavailable = (reason: string) => `simulator unavailable on chain 8453: ${reason}`
const failing = () => Promise.reject(new Error('se-cret'))

s(
  'starts a fork of that block behind our own door, and has it prove itself [teeth/made]',
  async () => {
    const { made, fork, asked, started, prefetched, kills } = await makeBy()
    assert.equal(made, { fork, overrides: {} })
    assert.equal(started, [
      { chainId: 8453, upstreamUrl: 'http://127.0.0.1:2', blockNumber: 16n, settings: {} },
    ])
    assert.equal(asked, [['eth_blockNumber', 'eth_simulateV1'], { timeoutMs: 3_000 }])
    assert.equal([prefetched, kills()], [[target], 0])
    // A cold fork is slower and no worse.
    assert.equal((await makeBy({ prefetch: failing })).kills(), 0)
  },
)
s('brings what stands in for precompiles, or is none [teeth/made]', async () => {
  const { made } = await makeBy({ precompiles: 'arbOs' })
  assert.ok(Object.keys((made as { overrides: object }).overrides).length > 0)
  const silent = await makeBy({ precompiles: 'arbOs', send: failing })
  assert.is((silent.made as Error).message, unavailable('the chain does not answer'))
  assert.is(silent.kills(), 1)
})
s(
  'starts none of another chain, and ends one that fails whatever the reason [teeth/made]',
  async () => {
    const other = await makeBy({ chainId: 1 })
    assert.instance(other.made, WrongUpstream)
    assert.is((other.made as Error).message, unavailable('its upstream is another chain'))
    assert.equal([other.started, other.kills()], [[], 0])
    const broken: readonly Given[] = [{ batch: failing }, { readBlock: failing }]
    for (const given of broken) {
      const failed = await makeBy(given)
      assert.equal([(failed.made as Error).message, failed.kills()], ['se-cret', 1])
    }
    const gone = await makeBy({ readBlock: async () => undefined })
    assert.is((gone.made as Error).message, unavailable('its upstream reorganised'))
  },
)
s.run()
