import { setTimeout as wait } from 'node:timers/promises'
import { assert, suite } from '../fixtures/test.ts'
import type { Fork } from './fork.ts'
import { makeFork } from './makeFork.ts'
import type { RpcOutcome } from './rpc/rpcBatch.ts'
import type { BlockId, Upstream } from './upstream.ts'
import type { UpstreamRelay } from './upstreamRelay.ts'

const s = suite('simulator/makeFork')
const target: BlockId = { blockNumber: 16n, blockHash: '0x10', timestampSecs: 1_700_000_000n }
const answer = (result: unknown): RpcOutcome => ({ ok: true, result })
const fault: RpcOutcome = { ok: false, code: -32000, message: 'no such state', data: undefined }

/** Makes a fork that answers its smoke test so, over a chain whose block may be another one by then. */
async function make({
  answers,
  blockHash = target.blockHash,
  warmMs,
  warm = async () => [],
}: {
  answers: readonly RpcOutcome[]
  blockHash?: BlockId['blockHash']
  warmMs?: number | undefined
  /** Its warm-up. */
  warm?: (() => Promise<readonly RpcOutcome[]>) | undefined
}) {
  let kills = 0
  const batch: Fork['rpc']['batch'] = async ([call]) =>
    call?.method === 'eth_call' ? warm() : answers
  const fork: Fork = {
    rpc: { batch, close: async () => {} },
    url: 'http://127.0.0.1:1',
    exited: new Promise(() => {}),
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
  const made = await makeFork(
    { startFork: async () => fork, upstream, relay },
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
s.run()
