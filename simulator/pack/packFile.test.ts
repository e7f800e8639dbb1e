import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { assert, suite } from '../../fixtures/test.ts'
import type { RpcCall, RpcOutcome } from '../rpc/rpcBatch.ts'
import { keyOf } from './packCall.ts'
import { PackError, type PackedChain, readPack, readPackHeader, writePack } from './packFile.ts'

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
const {
  chains: [named],
} = JSON.parse(lines[0] ?? '') as { readonly chains: readonly [object] }
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
  const why = (place: string) => readPack(place).then(String, ({ message }: Error) => message)
  assert.match(await why(join(dir, 'nowhere')), 'no such file')
  assert.match(await why(dir), 'it can not be read (EISDIR)')
})
s('refuses a file that was cut short anywhere', async () => {
  const bytes = readFileSync(path)
  for (let size = 1; size < bytes.length; size += 13)
    assert.not.equal(await refusal(bytes.subarray(0, size)), 'accepted', `${size} bytes`)
  assert.match(await refusalOf(lines.slice(0, -1)), 'should hold 3 answers')
  assert.match(await refusal(gzipSync(lines.join('\n'))), 'last line is cut short')
  assert.match(await refusal(gzipSync(`${lines.join('\n')}\nx`)), 'last line is cut short')
  assert.match(await refusal(bytes.subarray(0, -1)), 'it is cut short')
})
s('refuses every line that is not what such a line must be', async () => {
  assert.is(await refusalOf(lines), 'accepted')
  for (const fields of [
    { format: 'x' },
    { version: 2 },
    { more: 1 },
    { chains: [] },
    { chains: [{ chainId: '8453' }] },
    ...[
      { more: 1 },
      { chainId: 0 },
      { frozen: false },
      { entries: -1 },
      { entries: 5_000_001 },
      { entries: 1.5 },
      { timestamp: '0x0f' },
      { blockHash: '0x12' },
      { blockNumber: '256' },
    ].map((fields) => ({ chains: [{ ...named, ...fields }] })),
    { chains: Array.from({ length: 65 }, () => named) },
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
    { params: Array.from({ length: 17 }, () => '0x1') },
    { method: `eth_${'a'.repeat(97)}` },
    { result: undefined, error: { code: 3, message: 'x', more: 1 } },
    { result: undefined, error: { code: 3, message: 'x'.repeat(4_097) } },
    { result: undefined, error: { code: 3, message: 'x', data: '0x1' } },
  ])
    assert.match(await refusalOf(change(3, { ...fields })), /line 4/, JSON.stringify(fields))
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
/** A pack of these lines, whose first one tells so many answers. */
function writeLines(entries: number, ...more: readonly object[]) {
  const other = join(dir, 'lines.pack')
  const header = { format: 'forkyard-pack', version: 1, chains: [{ ...named, entries }] }
  const text = [header, ...more].map((line) => `${JSON.stringify(line)}\n`).join('')
  writeFileSync(other, gzipSync(text))
  return other
}
const answerOf = (fields: object) => ({ chainId: 8453, result: '0x1', ...fields })

s('takes as much of everything as a pack may have', async () => {
  const many = [
    answerOf({ method: `eth_${'a'.repeat(96)}`, params: Array.from({ length: 16 }, () => '0x1') }),
    {
      chainId: 8453,
      method: 'eth_b',
      params: [],
      error: { code: 3, message: 'x'.repeat(4_096), data: '0xaB' },
    },
  ]
  const [read] = await readPack(writeLines(2, ...many))
  assert.is(read?.answers.size, 2)
  // One deeper is what no read is.
  const nested = (depth: number) => {
    let params: unknown = []
    for (let n = 1; n < depth; n += 1) params = [params]
    const method = 'eth_c'
    return readPack(writeLines(1, answerOf({ method, params }))).then(
      () => 'read',
      (error: Error) => error.message,
    )
  }
  assert.is(await nested(63), 'read')
  assert.match(await nested(64), 'line 2 is no answer')
})
s('keeps what a chain says of itself, and chains of which nothing was asked', async () => {
  const other = join(dir, 'many.pack')
  const { answers, ...bare } = chain
  const frozen: PackedChain = { ...chain, timestampSecs: 1_000n, isFrozen: true }
  const others = Array.from({ length: 63 }, (_, n) => ({
    ...bare,
    chainId: n + 1,
    answers: new Map<string, never>(),
  }))
  await writePack(other, [frozen, ...others])
  const headers = await readPackHeader(other)
  const { answers: _, ...told } = frozen
  assert.equal(headers, [
    { ...told, entries: answers.size },
    ...others.map(({ answers: none, ...chainOf }) => ({ ...chainOf, entries: none.size })),
  ])
  const read = await readPack(other)
  assert.equal(
    read.map(({ chainId, timestampSecs, isFrozen }) => [chainId, timestampSecs, isFrozen]),
    headers.map(({ chainId, timestampSecs, isFrozen }) => [chainId, timestampSecs, isFrozen]),
  )
  assert.equal(
    read.map((each) => each.answers.size),
    headers.map(({ entries }) => entries),
  )
})
s('tells of a header alone why it is none, however long it goes on', async () => {
  const other = join(dir, 'header.pack')
  const why = (text: string) => {
    writeFileSync(other, gzipSync(text))
    return readPackHeader(other).then(
      () => 'read',
      (error: Error) => error.message,
    )
  }
  assert.is(await why(`${lines[0]}\n`), 'read')
  assert.match(await why('{}\n'), 'its first line does not say so')
  assert.match(await why(''), 'it is empty')
  assert.is(await why(`${(lines[0] ?? '').padEnd(65_536)}\n`), 'read')
  assert.match(await why(`${(lines[0] ?? '').padEnd(65_537)}\n`), 'a line of it is too long')
})
s('reads a long answer, and letters that are cut in two on the way', async () => {
  const large = `0x${'60'.repeat(500_000)}`
  const messages = Array.from({ length: 100 }, (_, n) => `${'x'.repeat(n % 7)}${'é'.repeat(1_000)}`)
  const answers = new Map([
    entry({ method: 'eth_getCode', params: [address, '0x100'] }, { ok: true, result: large }),
    entry({ method: 'eth_gasPrice', params: [] }, { ok: true, result: undefined }),
    ...messages.map((message, n) => {
      const outcome = { ok: false, code: 3, message, data: undefined } as const
      return entry({ method: 'eth_call', params: [`0x${n.toString(16)}`, '0x100'] }, outcome)
    }),
  ])
  const other = join(dir, 'large.pack')
  await writePack(other, [{ ...chain, answers }])
  const [read] = await readPack(other)
  const outcomes = [...(read?.answers.values() ?? [])].map(({ outcome }) => outcome)
  assert.ok(outcomes.some((outcome) => outcome.ok && outcome.result === large))
  assert.ok(outcomes.some((outcome) => outcome.ok && outcome.result === null))
  const found = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.message]))
  assert.equal(found.toSorted(), messages.toSorted())
})
s('reads as many bytes as it may, of a line and of all', async () => {
  const text = `${lines.join('\n')}\n`
  const lineBytes = lines[0]?.length ?? 0
  const why = (limits: Parameters<typeof readPack>[1]) =>
    readPack(path, limits).then(
      () => 'read',
      (error: Error) => error.message,
    )
  const bytes = Buffer.byteLength(text)
  assert.is(await why({ lineBytes, bytes }), 'read')
  assert.match(await why({ lineBytes: lineBytes - 1, bytes }), 'a line of it is too long')
  assert.match(await why({ lineBytes, bytes: bytes - 1 }), 'it is too large')
})
s('names each chain once, and knows the pinned block by its hash', async () => {
  assert.match(await refusalOf(change(0, { chains: [named, named] })), 'line 1 names a chain twice')
  const { blockHash } = chain
  const method = 'eth_getCode'
  const old = answerOf({ method, params: [address, { blockHash }], result: '0x6001' })
  const now = answerOf({ method, params: [address, '0x100'], result: '0x6002' })
  const codes = async (...given: readonly object[]) => {
    const [read] = await readPack(writeLines(given.length, ...given))
    return [...(read?.answers ?? [])].map(([key, { outcome }]) => [
      key,
      outcome.ok && outcome.result,
    ])
  }
  const key = keyOf({ method, params: [address, '0x100'] })
  assert.equal(await codes(old), [[key, '0x6001']])
  assert.equal(await codes(now, old), [[key, '0x6002']])
})
s('says what went wrong where a pack cannot be written', async () => {
  const nowhere = join(dir, 'no/such/folder/a.pack')
  const failed = await writePack(nowhere, [chain]).then(
    () => 'nothing',
    ({ syscall }: NodeJS.ErrnoException) => syscall,
  )
  assert.is(failed, 'open')
})
s.run()
