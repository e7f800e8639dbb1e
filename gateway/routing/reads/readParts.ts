import type { Address, Chain, Client, Hex, Transport } from 'viem'
import { numberToHex, pad } from 'viem'
import { originOf } from '../../chain/nodes/blockHashes.ts'
import { chunk } from './chunk.ts'
import { lensAddress } from './lens.ts'
import type { ReadDeps } from './poolRef.ts'

/** Code that whoever made a pool chose, and that its swaps ask: a rate provider, a hook, an oracle. */
export type Part = {
  /** Lower case. */
  readonly address: string
  /** Undefined where it could not be read. */
  readonly codeHash?: Hex | undefined
}

/** PUSH0, then for each word of the calldata EXTCODEHASH of the address in it, in its place; RETURN them. */
export const codeHashes = '0x5f5b3681101560145780353f81526020016001565b365ff3'
/** Of one call: an account's hash costs 2,600 gas. */
const mostAsked = 2_000
const callGas = 10_000_000n

/** Code at an address stays what it is: each is read once per node connection. */
const known = new WeakMap<Client<Transport, Chain>, Map<string, Hex>>()
const mostKnown = 20_000

/** The same addresses with the hashes of their code. */
export async function readParts(
  { client }: ReadDeps,
  {
    addresses,
    blockNumber,
  }: { readonly addresses: readonly Address[]; readonly blockNumber: bigint },
): Promise<ReadonlyMap<string, Part>> {
  const hashes = known.get(originOf(client)) ?? new Map<string, Hex>()
  known.set(originOf(client), hashes)
  const wanted = [...new Set(addresses.map((address) => address.toLowerCase()))]
  if (hashes.size > mostKnown) hashes.clear()
  const missing = wanted.filter((address) => !hashes.has(address))
  await Promise.all(
    chunk(missing, mostAsked).map(async (part) => {
      // What cannot be read is not known, and so not trusted.
      const answer = await readHashes(client, { addresses: part, blockNumber }).catch(() => '0x')
      for (const [k, address] of part.entries()) {
        const hash = answer.slice(2 + 64 * k, 66 + 64 * k)
        // Where nothing stands something else may come to stand.
        if (hash.length === 64 && isOfCode(hash)) hashes.set(address, `0x${hash}`)
      }
    }),
  )
  return new Map(wanted.map((address) => [address, { address, codeHash: hashes.get(address) }]))
}

/** Addresses without code at a block. */
export async function listCodeless(
  { client }: Pick<ReadDeps, 'client'>,
  {
    addresses,
    blockNumber,
  }: { readonly addresses: readonly Address[]; readonly blockNumber: bigint },
): Promise<ReadonlySet<Address>> {
  const answer = addresses.length > 0 ? await readHashes(client, { addresses, blockNumber }) : '0x'
  return new Set(addresses.filter((_, k) => !isOfCode(answer.slice(2 + 64 * k, 66 + 64 * k))))
}

/** Those of one pool. */
export function pickParts(
  parts: ReadonlyMap<string, Part>,
  addresses: readonly Address[] = [],
): readonly Part[] {
  const own = [...new Set(addresses.map((address) => address.toLowerCase()))]
  return own.map((address) => parts.get(address) ?? { address })
}

/** Of no account, and of one without code. */
const emptyHashes = new Set<string>([
  '0'.repeat(64),
  'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
])
const isOfCode = (hash: string) => !emptyHashes.has(hash)

async function readHashes(
  client: Client<Transport, Chain>,
  {
    addresses,
    blockNumber,
  }: { readonly addresses: readonly string[]; readonly blockNumber: bigint },
): Promise<Hex> {
  const words = addresses.map((address) => pad(address as Hex).slice(2))
  return client.request({
    method: 'eth_call',
    params: [
      { to: lensAddress, data: `0x${words.join('')}`, gas: numberToHex(callGas) },
      numberToHex(blockNumber),
      { [lensAddress]: { code: codeHashes } },
    ],
  })
}
