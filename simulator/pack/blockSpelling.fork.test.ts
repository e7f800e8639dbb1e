import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Hex } from 'viem'
import { startAnvil } from '../../fixtures/anvil/anvil.ts'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createRpcEndpoint, type RpcCall } from '../rpc/rpcBatch.ts'
import { readPack, writePack } from './packFile.ts'
import { recordChain } from './recordChain.ts'
import { replayChain } from './replayChain.ts'

/** anvil's versions name the block that they have forked in four ways. */
const s = suite('spellings of the pinned block')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
const anvil = await startAnvil({ args: ['--chain-id', '8453'] })
s.after(async () => {
  await anvil.close()
  rmSync(dir, { recursive: true, force: true })
})

const chain = createRpc(anvil.rpcUrl)
const contract = `0x${'c0'.repeat(20)}`
// Answers 42 to whoever calls it, and logs nothing.
await chain('anvil_setCode', contract, '0x602a60005260206000f3')
await chain('anvil_setStorageAt', contract, '0x1', `0x${'07'.padStart(64, '0')}`)
await chain('anvil_mine', '0x3')
const pinned = (await chain('eth_getBlockByNumber', 'latest', false)) as {
  readonly number: Hex
  readonly hash: Hex
}

type Spelling = { readonly block: unknown; readonly inLogs: object; readonly byHash: boolean }
const { number, hash } = pinned
const spellings: Readonly<Record<string, Spelling>> = {
  'its number': { block: number, inLogs: { fromBlock: number, toBlock: number }, byHash: false },
  '{blockHash, requireCanonical}': {
    block: { blockHash: hash, requireCanonical: true },
    inLogs: { blockHash: hash },
    byHash: true,
  },
  'a bare hash': { block: hash, inLogs: { blockHash: hash }, byHash: true },
  '{blockHash}': { block: { blockHash: hash }, inLogs: { blockHash: hash }, byHash: true },
}
/** What a fork asks, as an anvil of that spelling would. */
const script = ({ block, inLogs, byHash }: Spelling): readonly RpcCall[] => [
  { method: 'eth_getBalance', params: [contract, block] },
  { method: 'eth_getTransactionCount', params: [contract, block] },
  { method: 'eth_getCode', params: [contract, block] },
  { method: 'eth_getStorageAt', params: [contract, '0x1', block] },
  { method: 'eth_call', params: [{ to: contract }, block] },
  { method: 'eth_getLogs', params: [{ address: contract, ...inLogs }] },
  byHash
    ? { method: 'eth_getBlockByHash', params: [hash, false] }
    : { method: 'eth_getBlockByNumber', params: [number, false] },
]

async function ask(url: string, calls: readonly RpcCall[]) {
  const rpc = createRpcEndpoint({ url })
  const outcomes = await rpc.batch(calls, { timeoutMs: 10_000 })
  await rpc.close()
  return outcomes.map((outcome) => (outcome.ok ? outcome.result : outcome.message))
}

async function record(spelling: Spelling, path: string) {
  // Some endpoints take one spelling only: what is asked of them is always the number.
  const recorder = await recordChain({ chainId: 8453, upstreamUrl: anvil.rpcUrl })
  const answers = await ask(recorder.url, script(spelling))
  await writePack(path, [await recorder.toPackedChain()])
  await recorder.close()
  return answers
}

async function replay(path: string, calls: readonly RpcCall[]) {
  const missing: string[] = []
  const [packed] = await readPack(path)
  if (!packed) throw new Error('no chain in the pack')
  const replayed = await replayChain({ onMissing: (read) => missing.push(read) }, packed)
  const answers = await ask(replayed.url, calls)
  await replayed.close()
  return { answers, missing }
}

for (const [name, spelling] of Object.entries(spellings))
  s(`a pack recorded by ${name} replays in all, and is the same file [pack/spelled]`, async () => {
    const path = join(dir, 'pack')
    const answers = await record(spelling, path)
    assert.is(answers[4], `0x${'2a'.padStart(64, '0')}`)
    for (const [other, script_] of Object.entries(spellings)) {
      const replayed = await replay(path, script(script_))
      assert.equal(replayed, { answers, missing: [] }, other)
    }
    const reference = join(dir, 'reference')
    await record(spellings['its number'] ?? spelling, reference)
    assert.ok(readFileSync(path).equals(readFileSync(reference)))
  })
s(
  'a pack that holds the block by its hash, as older ones do, replays too [pack/spellings]',
  async () => {
    const path = join(dir, 'old')
    const answers = await record(spellings['its number'] as Spelling, path)
    const [header = '', ...lines] = gunzipSync(readFileSync(path)).toString().trimEnd().split('\n')
    const old = lines.map((line) =>
      line.includes('"eth_getLogs"')
        ? line.replace(/"fromBlock":"\w+","toBlock":"\w+"/, `"blockHash":"${hash}"`)
        : line.replace(`"${number}"]`, `{"blockHash":"${hash}"}]`),
    )
    assert.ok(old.filter((line, index) => line !== lines[index]).length >= 5)
    writeFileSync(path, gzipSync(`${[header, ...old].join('\n')}\n`))
    for (const spelling of Object.values(spellings))
      assert.equal(await replay(path, script(spelling)), { answers, missing: [] })
  },
)
s("another block's hash stays what it is", async () => {
  const path = join(dir, 'other')
  await record(spellings['its number'] as Spelling, path)
  const other = `0x${'ab'.repeat(32)}`
  const calls = [{ method: 'eth_getCode', params: [contract, { blockHash: other }] }]
  const { missing } = await replay(path, calls)
  assert.is(missing.length, 1)
  assert.match(missing[0] ?? '', other)
})
s.run()
