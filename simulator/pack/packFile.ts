import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Hex } from 'viem'
import type { RpcCall, RpcOutcome } from '../rpcBatch.ts'
import { keyOf, toPackCall } from './packCall.ts'

/** One chain as of one block: what was asked of it, and what it said. */
export type PackedChain = {
  readonly chainId: number
  readonly blockNumber: bigint
  readonly blockHash: Hex
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

const maxLineBytes = 64 * 1024 * 1024
const maxBytes = 4 * 1024 * 1024 * 1024
const maxEntries = 5_000_000

const ajv = new Ajv2020({ allErrors: false })
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

/** Writes the pack aside and then in its place; the same answers make the same bytes. */
export async function writePack(path: string, chains: readonly PackedChain[]): Promise<void> {
  const aside = `${path}.part`
  try {
    const lines = Readable.from(toLines(chains), { objectMode: true })
    await pipeline(lines, createGzip({ level: 9 }), createWriteStream(aside))
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
    chains: chains.map(({ chainId, blockNumber, blockHash, answers }) => ({
      chainId,
      blockNumber: `0x${blockNumber.toString(16)}`,
      blockHash,
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
export async function readPack(path: string): Promise<readonly PackedChain[]> {
  const chains = new Map<number, PackedChain & { readonly answers: Map<string, PackedAnswer> }>()
  let header: Header | undefined
  let lineNumber = 0
  const fail = (why: string) => new PackError(`${path} is no usable pack: ${why}`)
  for await (const line of readLines(path, fail)) {
    lineNumber += 1
    const value = parseLine(line)
    const failLine = (why: string) => fail(`line ${lineNumber} ${why}`)
    if (header) {
      if (!isEntry(value)) throw failLine('is no answer to a call')
      addEntry(chains, value, failLine)
      continue
    }
    if (!isHeader(value)) throw fail('its first line does not say so')
    header = value
    for (const chain of header.chains) {
      if (chains.has(chain.chainId)) throw failLine('names a chain twice')
      const { chainId, blockHash } = chain
      const blockNumber = BigInt(chain.blockNumber)
      chains.set(chainId, { chainId, blockNumber, blockHash, answers: new Map() })
    }
  }
  if (!header) throw fail('it is empty')
  for (const { chainId, entries } of header.chains)
    if (chains.get(chainId)?.answers.size !== entries)
      throw fail(`it should hold ${entries} answers of chain ${chainId}, and does not`)
  return [...chains.values()]
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
  if (asked.kind !== 'read' || keyOf(asked.call) !== keyOf(call))
    throw fail('holds a call that no pack holds in that form')
  if (chain.answers.has(keyOf(call))) throw fail('answers a call again')
  const outcome: RpcOutcome = error
    ? { ok: false, code: error.code, message: error.message, data: error.data }
    : { ok: true, result }
  chain.answers.set(keyOf(call), { call, outcome })
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function* readLines(
  path: string,
  fail: (why: string) => PackError,
): AsyncGenerator<string, void> {
  const file = createReadStream(path)
  const unzipped = file.pipe(createGunzip())
  file.once('error', (error) => unzipped.destroy(error))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let total = 0
  try {
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      total += chunk.length
      if (total > maxBytes) throw fail('it is too large')
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLineBytes) throw fail('a line of it is too long')
      yield* lines
    }
  } catch (error) {
    if (error instanceof PackError) throw error
    throw fail(whyUnreadable(error))
  } finally {
    file.destroy()
  }
  if (rest !== '') throw fail('its last line is cut short')
}

function whyUnreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'Z_BUF_ERROR') return 'it is cut short'
  if (code?.startsWith('Z_') || error instanceof TypeError) return 'it is no compressed text'
  return `it can not be read (${code ?? 'unknown'})`
}
