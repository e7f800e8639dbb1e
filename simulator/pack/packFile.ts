import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Hex } from 'viem'
import type { RpcCall, RpcOutcome } from '../rpc/rpcBatch.ts'
import { keyOf, toPackCall } from './packCall.ts'

/** One chain as of one block: what was asked of it, and what it said. */
export type PackedChain = {
  readonly chainId: number
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** Of the block: how old the pack is. Packs of before it was kept have none. */
  readonly timestampSecs?: bigint | undefined
  /** Recorded with the clock held at the block's time; to be replayed so. */
  readonly isFrozen?: boolean | undefined
  readonly answers: ReadonlyMap<string, PackedAnswer>
}
export type PackedAnswer = { readonly call: RpcCall; readonly outcome: RpcOutcome }

/** The file is not a pack, or not a whole one; the message says where. */
export class PackError extends Error {
  override readonly name = 'PackError'
}

type Header = {
  readonly format: 'forkyard-pack'
  readonly version: 1
  readonly chains: readonly {
    readonly chainId: number
    readonly blockNumber: Hex
    readonly blockHash: Hex
    readonly timestamp?: Hex
    readonly frozen?: true
    readonly entries: number
  }[]
}
type Entry = {
  readonly chainId: number
  readonly method: string
  readonly params: readonly unknown[]
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
}

/** Unzipped: a small file may be a large one, and all of it is held in memory. */
const usualLimits = { lineBytes: 16 * 2 ** 20, bytes: 512 * 2 ** 20 }
/** A first line names 64 chains at the most. */
const headerBytes = 65_536
const maxEntries = 5_000_000
/** No read is nested like this, and functions that call themselves end at some depth. */
const maxDepth = 64

const ajv = new Ajv2020({ meta: false, validateSchema: false, allErrors: false })
const isHeader = ajv.compile<Header>({
  type: 'object',
  additionalProperties: false,
  required: ['format', 'version', 'chains'],
  properties: {
    format: { const: 'forkyard-pack' },
    version: { const: 1 },
    chains: {
      type: 'array',
      minItems: 1,
      maxItems: 64,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['chainId', 'blockNumber', 'blockHash', 'entries'],
        properties: {
          chainId: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          blockNumber: { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]{0,15})$' },
          blockHash: { type: 'string', pattern: '^0x[0-9a-f]{64}$' },
          timestamp: { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]{0,11})$' },
          frozen: { const: true },
          entries: { type: 'integer', minimum: 0, maximum: maxEntries },
        },
      },
    },
  },
})
const isEntry = ajv.compile<Entry>({
  type: 'object',
  additionalProperties: false,
  required: ['chainId', 'method', 'params'],
  properties: {
    chainId: { type: 'integer' },
    method: { type: 'string', pattern: '^[a-z0-9]+_[A-Za-z0-9]+$', maxLength: 100 },
    params: { type: 'array', maxItems: 16 },
    result: {},
    error: {
      type: 'object',
      additionalProperties: false,
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer' },
        message: { type: 'string', maxLength: 4096 },
        data: { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' },
      },
    },
  },
  oneOf: [{ required: ['result'] }, { required: ['error'] }],
})

/**
 * Writes the pack aside and then in its place, once it has been read back: a node may have answered what no
 * pack can hold. The same answers make the same bytes.
 */
export async function writePack(path: string, chains: readonly PackedChain[]): Promise<void> {
  const aside = `${path}.part`
  try {
    const lines = Readable.from(toLines(chains), { objectMode: true })
    await pipeline(lines, createGzip({ level: 9 }), createWriteStream(aside))
    await readPack(aside)
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}

function* toLines(chains: readonly PackedChain[]): Generator<string> {
  const header: Header = {
    format: 'forkyard-pack',
    version: 1,
    chains: chains.map(({ chainId, blockNumber, blockHash, timestampSecs, isFrozen, answers }) => ({
      chainId,
      blockNumber: `0x${blockNumber.toString(16)}`,
      blockHash,
      ...(timestampSecs === undefined ? {} : { timestamp: `0x${timestampSecs.toString(16)}` }),
      ...(isFrozen ? { frozen: true } : {}),
      entries: answers.size,
    })),
  }
  yield `${JSON.stringify(header)}\n`
  for (const { chainId, answers } of chains)
    for (const [, { call, outcome }] of [...answers].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      yield `${JSON.stringify({ chainId, ...call, ...toFields(outcome) })}\n`
}

function toFields(outcome: RpcOutcome) {
  if (outcome.ok) return { result: outcome.result ?? null }
  const { code, message, data } = outcome
  return { error: { code, message, ...(data === undefined ? {} : { data }) } }
}

/** Reads a pack that anybody may have made. Throws {@link PackError}. */
export async function readPack(
  path: string,
  limits = usualLimits,
): Promise<readonly PackedChain[]> {
  const chains = new Map<number, PackedChain & { readonly answers: Map<string, PackedAnswer> }>()
  const read = new Map<number, number>()
  let header: Header | undefined
  let lineNumber = 0
  const fail = (why: string) => new PackError(`${path} is no usable pack: ${why}`)
  for await (const line of readLines(path, { fail, limits })) {
    lineNumber += 1
    const value = parseLine(line)
    const failLine = (why: string) => fail(`line ${lineNumber} ${why}`)
    if (header) {
      if (!isEntry(value)) throw failLine('is no answer to a call')
      addEntry(chains, value, failLine)
      read.set(value.chainId, (read.get(value.chainId) ?? 0) + 1)
      continue
    }
    if (!isHeader(value)) throw fail('its first line does not say so')
    header = value
    for (const chain of header.chains) {
      if (chains.has(chain.chainId)) throw failLine('names a chain twice')
      chains.set(chain.chainId, { ...toPackedChain(chain), answers: new Map() })
    }
  }
  if (!header) throw fail('it is empty')
  for (const { chainId, entries } of header.chains)
    if ((read.get(chainId) ?? 0) !== entries)
      throw fail(`it should hold ${entries} answers of chain ${chainId}, and does not`)
  return [...chains.values()]
}

/** What a pack says of its chains, read in a moment however large it is. Throws {@link PackError}. */
export async function readPackHeader(
  path: string,
): Promise<readonly (Omit<PackedChain, 'answers'> & { readonly entries: number })[]> {
  const fail = (why: string) => new PackError(`${path} is no usable pack: ${why}`)
  const limits = { ...usualLimits, lineBytes: headerBytes }
  for await (const line of readLines(path, { fail, limits })) {
    const header = parseLine(line)
    if (!isHeader(header)) throw fail('its first line does not say so')
    return header.chains.map((chain) => ({ ...toPackedChain(chain), entries: chain.entries }))
  }
  throw fail('it is empty')
}

function toPackedChain(chain: Header['chains'][number]): Omit<PackedChain, 'answers'> {
  const { chainId, blockHash, timestamp, frozen } = chain
  return {
    chainId,
    blockNumber: BigInt(chain.blockNumber),
    blockHash,
    ...(timestamp === undefined ? {} : { timestampSecs: BigInt(timestamp) }),
    ...(frozen ? { isFrozen: true } : {}),
  }
}

function addEntry(
  chains: ReadonlyMap<number, PackedChain & { readonly answers: Map<string, PackedAnswer> }>,
  { chainId, method, params, result, error }: Entry,
  fail: (why: string) => PackError,
) {
  const chain = chains.get(chainId)
  if (!chain) throw fail('belongs to a chain that the pack does not name')
  const call = { method, params }
  const asked = toPackCall(call, chain)
  // Older packs have the pinned block by its hash, in the spelling of the anvil that asked.
  const isOldSpelling = keyOf(call).includes(chain.blockHash)
  if (asked.kind !== 'read') throw fail('holds a call that no pack holds')
  const key = keyOf(asked.call)
  if (key !== keyOf(call) && !isOldSpelling)
    throw fail('holds a call that no pack holds in that form')
  if (chain.answers.has(key)) {
    if (isOldSpelling) return
    throw fail('answers a call again')
  }
  const outcome: RpcOutcome = error
    ? { ok: false, code: error.code, message: error.message, data: error.data }
    : { ok: true, result }
  chain.answers.set(key, { call: asked.call, outcome })
}

function parseLine(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return isShallow(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isShallow(value: unknown): boolean {
  let layer: readonly unknown[] = [value]
  for (let depth = 0; depth < maxDepth && layer.length > 0; depth += 1)
    layer = layer.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    )
  return layer.length === 0
}

async function* readLines(
  path: string,
  {
    fail,
    limits,
  }: { readonly fail: (why: string) => PackError; readonly limits: typeof usualLimits },
): AsyncGenerator<string, void> {
  const file = createReadStream(path)
  const unzipped = file.pipe(createGunzip())
  file.once('error', (error) => unzipped.destroy(error))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  // In pieces, put together once: a long line has thousands.
  let pieces: string[] = []
  let length = 0
  let total = 0
  try {
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      total += chunk.length
      if (total > limits.bytes) throw fail('it is too large')
      const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
      pieces.push(first)
      length += first.length
      if (length > limits.lineBytes) throw fail('a line of it is too long')
      const last = others.pop()
      if (last === undefined) continue
      yield pieces.join('')
      yield* others
      pieces = [last]
      length = last.length
    }
  } catch (error) {
    if (error instanceof PackError) throw error
    throw fail(whyUnreadable(error))
  } finally {
    file.destroy()
  }
  if (length > 0) throw fail('its last line is cut short')
}

function whyUnreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'Z_BUF_ERROR') return 'it is cut short'
  if (code?.startsWith('Z_') || error instanceof TypeError) return 'it is no compressed text'
  return `it can not be read (${code ?? 'unknown'})`
}
