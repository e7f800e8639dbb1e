import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { assert, suite } from '../../fixtures/test.ts'
import type { RpcCall, RpcOutcome } from '../rpc/rpcBatch.ts'
import { keyOf } from './packCall.ts'
import { PackError, type PackedChain, readPack, writePack } from './packFile.ts'

const s = suite('pack file')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
const path = join(dir, 'a.pack')
s.after(() => rmSync(dir, { recursive: true, force: true }))

const entry = (call: RpcCall, outcome: RpcOutcome) => [keyOf(call), { call, outcome }] as const
const address = `0x${'ab'.repeat(20)}`
const chain: PackedChain = {
  chainId: 8453,
  blockNumber: 256n,
  blockHash: `0x${'12'.repeat(32)}`,
  answers: new Map([
    entry({ method: 'eth_getCode', params: [address, '0x100'] }, { ok: true, result: '0x6000' }),
    entry({ method: 'eth_getBlockByNumber', params: ['0x5', false] }, { ok: true, result: null }),
    entry(
      { method: 'eth_call', params: [{ to: address }, '0x100'] },
      { ok: false, code: 3, message: 'execution reverted', data: '0x08c379a0' },
    ),
  ]),
}
await writePack(path, [chain])
const lines = gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n')

async function refusal(bytes: Buffer): Promise<string> {
  const other = join(dir, 'other.pack')
  writeFileSync(other, bytes)
  try {
    await readPack(other)
  } catch (error) {
    assert.instance(error, PackError)
    return (error as Error).message
  }
  return 'accepted'
}
const refusalOf = (changed: readonly string[]) => refusal(gzipSync(`${changed.join('\n')}\n`))
const change = (index: number, fields: Record<string, unknown>) =>
  lines.map((line, at) =>
    at === index ? JSON.stringify({ ...JSON.parse(line), ...fields }) : line,
  )

s('gives back what was written, and the same bytes for the same answers', async () => {
  const [read] = await readPack(path)
  assert.equal(read && [...read.answers].sort(), [...chain.answers].sort())
  assert.equal({ ...read, answers: 0 }, { ...chain, answers: 0 })
  const before = readFileSync(path)
  await writePack(path, [{ ...chain, answers: new Map([...chain.answers].reverse()) }])
  assert.ok(readFileSync(path).equals(before))
  assert.equal(readdirSync(dir), ['a.pack'])
})
s('refuses what is no pack, and says why', async () => {
  assert.match(await refusal(Buffer.from('nonsense')), 'no compressed text')
  assert.match(await refusal(Buffer.alloc(0)), /cut short|empty/)
  assert.match(await refusal(gzipSync('')), 'empty')
  assert.match(await refusal(gzipSync('{}\n')), 'first line')
  assert.match(await refusal(gzipSync(Buffer.from([0xff, 0xfe, 0x0a]))), 'no compressed text')
  await readPack(join(dir, 'nowhere')).catch(({ message }) => assert.match(message, 'no such file'))
})
s('refuses a file that was cut short anywhere', async () => {
  const bytes = readFileSync(path)
  for (let size = 1; size < bytes.length; size += 13)
    assert.not.equal(await refusal(bytes.subarray(0, size)), 'accepted', `${size} bytes`)
  assert.match(await refusalOf(lines.slice(0, -1)), 'should hold 3 answers')
  assert.match(await refusal(gzipSync(lines.join('\n'))), 'last line is cut short')
})
s('refuses every line that is not what such a line must be', async () => {
  assert.is(await refusalOf(lines), 'accepted')
  for (const fields of [
    { format: 'x' },
    { version: 2 },
    { more: 1 },
    { chains: [] },
    { chains: [{ chainId: '8453' }] },
  ])
    assert.match(await refusalOf(change(0, fields)), 'first line', JSON.stringify(fields))
  for (const fields of [
    { chainId: 1 },
    { chainId: '8453' },
    { method: 'eth_sendRawTransaction' },
    { method: 'rm -rf' },
    { method: 'eth_chainId', params: [] },
    { params: 'x' },
    { params: [address, 'latest'] },
    { params: [address, '0x0100'] },
    { params: [address, '0x101'] },
    { error: { code: 3, message: 'x' }, result: '0x' },
    { error: { code: 'x', message: 'x' } },
    { extra: true },
  ])
    assert.match(
      await refusalOf(change(3, { ...fields })),
      /line 4|should hold/,
      JSON.stringify(fields),
    )
  assert.match(await refusalOf([...lines, lines[3] ?? '']), 'answers a call again')
  assert.match(await refusalOf([...lines.slice(0, 3), '{', lines[3] ?? '']), 'line 4')
})
s('refuses what is nested without end, as it would any other line [pack/nested]', async () => {
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  for (const field of ['params', 'result']) {
    const entryOf = { chainId: 8453, method: 'eth_call', params: ['x'], result: 'x' }
    const line = JSON.stringify({ ...entryOf, [field]: 'HERE' }).replace('"HERE"', nested)
    assert.match(await refusalOf([...lines, line]), 'line 5 is no answer to a call')
  }
})
s('unpacks a small file to no large one, and a long line in no long time [pack/bomb]', async () => {
  const other = join(dir, 'bomb.pack')
  writeFileSync(other, gzipSync(Buffer.alloc(20 * 2 ** 20, 0x20)))
  await readPack(other).then(
    () => assert.unreachable(),
    ({ message }: Error) => assert.match(message, 'a line of it is too long'),
  )
  const many = [...lines, ...Array.from({ length: 1_000 }, () => lines[1] ?? '')]
  writeFileSync(other, gzipSync(`${many.join('\n')}\n`))
  await readPack(other, { lineBytes: 10_000, bytes: 100_000 }).then(
    () => assert.unreachable(),
    ({ message }: Error) => assert.match(message, /too large|answers a call again/),
  )
  const blank = `${' '.repeat(50)}\n`.repeat(4_000)
  writeFileSync(other, gzipSync(`${lines[0]}\n${blank}`))
  await readPack(other, { lineBytes: 10_000, bytes: 1_000 }).then(
    () => assert.unreachable(),
    ({ message }: Error) => assert.match(message, 'it is too large'),
  )
})
s('writes nothing that it could not read again [pack/read-back]', async () => {
  const odd = { ...chain, timestampSecs: 2n ** 60n }
  const before = readFileSync(path)
  await writePack(path, [odd]).then(
    () => assert.unreachable(),
    (error: Error) => assert.instance(error, PackError),
  )
  assert.ok(readFileSync(path).equals(before))
  assert.not(readdirSync(dir).some((name) => name.endsWith('.part')))
})
s.run()
