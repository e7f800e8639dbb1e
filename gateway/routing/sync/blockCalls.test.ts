import { mock } from 'node:test'
import { numberToHex } from 'viem'
import { createMainnet } from '../../../fixtures/nodes/mainnet/createMainnet.ts'
import { isUsual, type Pace, paces } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { type Chain, chains, getDexes, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { nameByHash } from '../../chain/nodes/blockHashes.ts'
import type { RpcCall } from '../../chain/nodes/readReply.ts'
import { createChainSync } from './chainSync.ts'

/** A minute of following, in time that passes by hand: what is asked, and how late a block is followed. */
const s = suite('calls of a minute')
let nowMs = 1_000
const [stepMs, roundTripMs, minuteMs] = [5, 40, 60_000]
/** As many swaps and logs as its blocks have, but no new pools. */
const paceOf = ({ chainId, blockTimeMs: blockMs }: Chain): Pace => {
  const pace = paces[chainId]
  if (!pace) throw new Error(`no pace is known of ${chainId}`)
  return { ...pace, blockMs, creationShare: 0 }
}
s.before(() => {
  mock.method(performance, 'now', () => nowMs)
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
})
s.after(() => {
  mock.timers.reset()
  mock.restoreAll()
})

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function pass(ms: number): Promise<void> {
  for (const endMs = nowMs + ms; nowMs < endMs; ) {
    nowMs += stepMs
    mock.timers.tick(stepMs)
    // What was answered is read, and asks for more.
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A chain that is made up, a node of it so far away, and who follows it. */
async function follow(chain: Chain, { isPaced }: { readonly isPaced: boolean }) {
  const { chainId, blockTimeMs } = chain
  const pace = paceOf(chain)
  const pollMs = Math.min(Math.max(blockTimeMs / 4, 100), 500)
  const mainnet = createMainnet({ chainId, pools: 200, pace })
  const methods: string[] = []
  const atHead = (params: unknown) =>
    ((params ?? []) as readonly unknown[]).map((value) =>
      value === 'latest' ? numberToHex(mainnet.head().number) : value,
    )
  const chainClient = createChainClient({
    chain,
    rpcUrls: ['http://127.0.0.1:1'],
    alterSend: () => async (calls: readonly RpcCall[]) => {
      methods.push(...calls.map(({ method }) => method))
      await wait(roundTripMs / 2)
      const asked = calls.map(nameByHash)
      const answers = await mainnet.ask(
        asked.map(({ method, params }) => ({ method, params: atHead(params) })),
      )
      await wait(roundTripMs / 2)
      return { answers, trouble: { kind: 'bad_answer' } }
    },
  })
  const sync = createChainSync({
    chainClient,
    dexes: getDexes(chainId).filter(({ protocol }) => isUsual(protocol)),
    seedTokens: seedTokens(chainId),
    pollMs,
    blockMs: isPaced ? blockTimeMs : undefined,
    maxAgeMs: 500,
    refreshMs: 2_000,
  })
  const began = sync.start()
  while (!sync.current()) await pass(100)
  await pass(1_000)
  await began

  let nextMs = nowMs
  /** So long with blocks so far apart, give or take a twentieth; somebody asks for the state all the time. */
  async function run(ms: number, blockMs: number = blockTimeMs) {
    methods.length = 0
    const lateMs: number[] = []
    const unseen: { readonly number: number; readonly atMs: number }[] = []
    const first = mainnet.head().number
    for (const endMs = nowMs + ms; nowMs < endMs; await pass(stepMs)) {
      if (nowMs >= nextMs + (mainnet.head().number % 10) * (blockMs / 200)) {
        mainnet.mine()
        unseen.push({ number: mainnet.head().number, atMs: nowMs })
        nextMs += blockMs
      }
      void sync.fresh()
      const followed = Number(sync.current()?.head.number)
      for (; unseen[0] && unseen[0].number <= followed; unseen.shift())
        lateMs.push(nowMs - unseen[0].atMs)
    }
    const blocks = mainnet.head().number - first
    const sorted = lateMs.toSorted((one, other) => one - other)
    const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? Number.NaN
    const countOf = (wanted: string) => methods.filter((method) => method === wanted).length
    return {
      calls: methods.length / blocks,
      looks: countOf('eth_getBlockByNumber') / blocks,
      logs: countOf('eth_getLogs') / blocks,
      medianMs: at(0.5),
      p95Ms: at(0.95),
    }
  }

  /** Looks at a head that stands still. */
  async function stand(ms: number): Promise<number> {
    methods.length = 0
    await pass(ms)
    nextMs = nowMs
    return methods.filter((method) => method === 'eth_getBlockByNumber').length
  }

  return {
    run,
    stand,
    pollMs,
    async [Symbol.asyncDispose]() {
      const closed = sync.close()
      await pass(1_000)
      await closed
      chainClient.close()
    },
  }
}

/** With the rereading of pools, which goes on beside it. */
const most: Readonly<Record<number, number>> = { 8453: 3, 42161: 2 }
function tell({ name }: Chain, figures: Readonly<Record<string, object>>): void {
  for (const [way, measured] of Object.entries(figures))
    process.stdout.write(`${name}, ${way}: ${JSON.stringify(measured)}\n`)
}

for (const chain of chains) {
  const mostCalls = most[chain.chainId]
  if (mostCalls === undefined) throw new Error(`nothing is promised of ${chain.name}`)
  s(
    `of ${chain.name}: each block is looked for when it is due, and followed no later [nodes/block-calls]`,
    async () => {
      await using paced = await follow(chain, { isPaced: true })
      await using polling = await follow(chain, { isPaced: false })
      // Until it knows when blocks come, and what stands still.
      await paced.run(5 * minuteMs)
      const [due, asked] = [await paced.run(minuteMs), await polling.run(minuteMs)]
      tell(chain, { due, asked })
      assert.ok(due.looks <= 1.2, `${due.looks} looks a block`)
      assert.ok(due.calls <= mostCalls, `${due.calls} calls a block`)
      assert.ok(asked.looks > due.looks)
      const spareMs = chain.blockTimeMs / 16
      assert.ok(due.medianMs <= asked.medianMs + spareMs)
      assert.ok(due.p95Ms <= asked.p95Ms + spareMs)
      // One that is late is looked for as often as if nobody knew when they come.
      const looks = await paced.stand(10 * paced.pollMs)
      assert.ok(looks >= 5 && looks <= 10, `${looks} looks`)
      // Two in the time of one.
      const fastMs = chain.blockTimeMs / 2
      await paced.run(minuteMs / 4)
      const [dueFast, askedFast] = [
        await paced.run(minuteMs, fastMs),
        await polling.run(minuteMs, fastMs),
      ]
      tell(chain, { dueFast, askedFast })
      assert.ok(dueFast.medianMs <= askedFast.medianMs + spareMs)
      assert.ok(dueFast.p95Ms <= askedFast.p95Ms + spareMs)
    },
  )
}
s.run()
