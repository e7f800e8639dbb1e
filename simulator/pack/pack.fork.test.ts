import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, type Hex, toHex, zeroAddress } from 'viem'
import { startAnvil } from '../../fixtures/anvil/anvil.ts'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createRpcEndpoint, type RpcCall } from '../rpc/rpcBatch.ts'
import { createSimulator } from '../simulator.ts'
import { startFaultProxy } from '../testing/faultProxy.ts'
import { startSwapWorld } from '../testing/swapWorld.ts'
import { readPack, writePack } from './packFile.ts'
import { pruneChain } from './pruneChain.ts'
import { recordChain } from './recordChain.ts'
import { replayChain } from './replayChain.ts'

const s = suite('fork packs')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
const path = join(dir, 'a.pack')
const world = await startSwapWorld()
const provider = await startFaultProxy({ target: world.chain.rpcUrl })
const recorder = await recordChain({ chainId: 8453, upstreamUrl: provider.url })
const closers = [recorder.close, provider.close, world.chain.close]
s.after(async () => {
  for (const close of closers) await close()
  rmSync(dir, { recursive: true, force: true })
})

// A pack freezes state, not the clock, and a pair reads more once a second has passed since its last trade.
const laterMs = Date.now() + 60_000
async function simulateOn(upstreamUrl: string) {
  const simulator = await createSimulator({
    chains: [{ chainId: 8453, upstreamUrl }],
    now: () => laterMs,
  })
  try {
    return await simulator.simulateCandidates({
      chainId: 8453,
      candidates: [
        world.swapAForB({ to: simulator.simulatedTaker(8453) }),
        world.swapAForB({ minOut: 2n ** 100n }),
        world.swapAForB({ amountIn: 77n, to: simulator.simulatedTaker(8453) }),
      ],
    })
  } finally {
    await simulator.close()
  }
}
const ask = async (url: string, calls: readonly RpcCall[]) => {
  const rpc = createRpcEndpoint({ url })
  const outcomes = await rpc.batch(calls, { timeoutMs: 20_000 })
  await rpc.close()
  return outcomes
}

const { tokenA, tokenB } = world
const balanceOf = `0x70a08231${'0'.repeat(63)}1`
const reverting = '0xdeadbeef'
const asked: readonly RpcCall[] = [
  { method: 'eth_chainId', params: [] },
  { method: 'eth_blockNumber', params: [] },
  { method: 'eth_gasPrice', params: [] },
  { method: 'eth_getBlockByNumber', params: ['latest', true] },
  { method: 'eth_getBlockByNumber', params: ['0xffffff', false] },
  { method: 'eth_getCode', params: [tokenA, 'latest'] },
  { method: 'eth_getStorageAt', params: [tokenA, '0x0', 'latest'] },
  { method: 'eth_call', params: [{ to: tokenB, data: balanceOf }, 'latest'] },
  { method: 'eth_call', params: [{ to: tokenB, data: reverting }, 'latest'] },
  { method: 'eth_getLogs', params: [{ address: tokenA, fromBlock: '0x0', toBlock: 'latest' }] },
  { method: 'eth_sendRawTransaction', params: ['0x00'] },
]
const report = await simulateOn(recorder.url)
const live = await ask(recorder.url, asked)

s('stands still while the chain that it records goes on', async () => {
  await world.swapForReal(10n ** 24n)
  assert.equal(await ask(recorder.url, asked), live)
  assert.equal(await simulateOn(recorder.url), report)
  assert.is(report.results[0]?.status, 'ok')
})
s('serves a fork bit for bit after the chain is gone', async () => {
  await writePack(path, [await recorder.toPackedChain()])
  for (const close of closers.splice(0)) await close()
  const missing: string[] = []
  const [chain] = await readPack(path)
  assert.ok(chain)
  if (!chain) return
  const replayed = await replayChain({ onMissing: (read) => missing.push(read) }, chain)
  closers.push(replayed.close)
  const again = await simulateOn(replayed.url)
  assert.equal(missing, [])
  assert.equal(again, report)
  assert.equal(await ask(replayed.url, asked), live)
  const besides: readonly RpcCall[] = [
    { method: 'eth_getBlockByNumber', params: [toHex(report.blockNumber), false] },
    { method: 'eth_getTransactionCount', params: [tokenA, 'latest'] },
  ]
  for (const outcome of await ask(replayed.url, besides)) assert.ok(outcome.ok && outcome.result)
  assert.equal(missing, [])
  const keys = [...chain.answers.keys()]
  const used = keys.filter((key) => /^eth_getCode .*|^eth_getBlockByNumber .*true/.test(key))
  const kept = [...pruneChain(chain, new Set(used)).answers.keys()]
  const isBeside = (key: string) =>
    /^eth_get(Code|Balance|TransactionCount|BlockByNumber) /.test(key)
  assert.equal(kept, keys.filter(isBeside))
  assert.ok(kept.length >= 2 * used.length)

  const slot: Hex = toHex(4711, { size: 32 })
  const [outcome] = await ask(replayed.url, [
    { method: 'eth_getStorageAt', params: [tokenA, '0x1267', 'latest'] },
  ])
  const tag = toHex(report.blockNumber)
  const what = `eth_getStorageAt ["${tokenA.toLowerCase()}","${slot}","${tag}"] of chain 8453 at block ${report.blockNumber}`
  assert.equal(missing, [what])
  assert.is(outcome && !outcome.ok && outcome.message, `not in the pack: ${what}`)
})
s(
  'what reads by the clock replays where the clock is held, and not a day later [pack/clock]',
  async () => {
    const anvil = await startAnvil({ args: ['--chain-id', '8453'] })
    closers.push(anvil.close)
    // SLOAD(TIMESTAMP): another slot each second.
    const clock: Address = `0x${'c1'.repeat(20)}`
    await createRpc(anvil.rpcUrl)('anvil_setCode', clock, '0x42545f5260205ff3')
    const heldMs = Date.now() + 1_000_000
    const simulateAt = async (upstreamUrl: string, timeMs: number) => {
      const chains = [{ chainId: 8453, upstreamUrl }]
      const simulator = await createSimulator({ chains, now: () => timeMs })
      const tokens = { tokenIn: zeroAddress, tokenOut: zeroAddress, spender: undefined }
      const candidate = { target: clock, data: '0x', value: 0n, amountIn: 0n, ...tokens } as const
      const { results } = await simulator.simulateCandidates({
        chainId: 8453,
        candidates: [candidate],
      })
      await simulator.close()
      return results
    }
    const timed = await recordChain({ chainId: 8453, upstreamUrl: anvil.rpcUrl, isFrozen: true })
    closers.push(timed.close)
    const recorded = await simulateAt(timed.url, heldMs)
    await writePack(path, [await timed.toPackedChain()])
    const [chain] = await readPack(path)
    assert.ok(chain?.isFrozen)
    if (!chain) return
    const missing: string[] = []
    const replayed = await replayChain({ onMissing: (read) => missing.push(read) }, chain)
    closers.push(replayed.close)
    assert.equal(await simulateAt(replayed.url, heldMs), recorded)
    assert.equal(missing, [])
    await simulateAt(replayed.url, heldMs + 86_400_000)
    assert.match(missing[0] ?? 'nothing', 'eth_getStorageAt')
  },
)
s('refuses to record an endpoint of another chain, or none', async () => {
  for (const chainId of [1, 2])
    await recordChain({ chainId, upstreamUrl: 'http://127.0.0.1:9/secret' }).then(
      () => assert.unreachable(),
      ({ message }) => assert.not.match(message, 'secret'),
    )
})
s.run()
