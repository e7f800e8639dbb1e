import { type Address, getAddress } from 'viem'
import { isNative } from '../../chain/native.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { TokenInfo } from '../reads/readTokens.ts'

export type TokenBook = {
  /** By lower-case address, in the order they came; their own have a checksum. */
  all(): ReadonlyMap<string, TokenInfo>
  /** Those of the registry, then everything found so far. */
  addresses(): Address[]
  /** Whether all of them are known; native currency is known as its wrapped token. */
  hasAll(tokens: readonly string[]): boolean
  add(infos: readonly TokenInfo[]): void
  /** Those that a pool holds, and those of the registry: of others there is no end. */
  addTraded(infos: readonly TokenInfo[], records: readonly PoolRecord[]): void
  /** Forgets those that are not of the registry and that `isKept` does not name. */
  prune(isKept: (token: string) => boolean): void
}

/** The tokens of one chain: the registry's may lack nothing but what the chain does not tell. */
export function createTokenBook({
  seedTokens,
  wrappedNative,
}: {
  readonly seedTokens: readonly TokenInfo[]
  readonly wrappedNative: Address
}): TokenBook {
  const wrapped = wrappedNative.toLowerCase()
  const tokens = new Map<string, TokenInfo>()
  const seeds = new Map(seedTokens.map((seed) => [seed.address.toLowerCase(), seed]))

  function add(infos: readonly TokenInfo[]): void {
    for (const info of infos) {
      const id = info.address.toLowerCase()
      const symbol = info.symbol || seeds.get(id)?.symbol || ''
      tokens.set(id, { ...info, address: getAddress(info.address), symbol })
    }
  }

  return {
    all: () => tokens,
    addresses: () => [...seedTokens, ...tokens.values()].map(({ address }) => address),
    hasAll: (wanted) => wanted.every((token) => tokens.has(isNative(token) ? wrapped : token)),
    add,
    addTraded(infos, records) {
      const traded = new Set([...records.flatMap((record) => record.tokens), ...seeds.keys()])
      add(infos.filter(({ address }) => traded.has(address.toLowerCase())))
    },
    prune(isKept) {
      for (const token of tokens.keys())
        if (!seeds.has(token) && !isKept(token)) tokens.delete(token)
    },
  }
}
