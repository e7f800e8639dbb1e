import { signal } from '@preact/signals'
import { client } from './session.ts'

export type Token = {
  readonly chainId: number
  readonly address: `0x${string}`
  readonly symbol: string
  readonly decimals: number
}

export const tokens = signal<readonly Token[]>([])

/** Of the registry; where an address stands on both chains, the second's key names its chain. */
export async function loadTokens(): Promise<void> {
  if (tokens.value.length > 0 || !client.value) return
  const registry = await client.value.routing.tokens()
  tokens.value = Object.entries(registry).map(([key, { chain_id, symbol, decimals }]) => ({
    chainId: chain_id,
    // The document says what keys are.
    address: key.replace(/^\d+:/, '') as `0x${string}`,
    symbol,
    decimals,
  }))
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** By address, or by symbol: the first of that name, which is the chain's own list's. */
export function findToken(chainId: number, text: string): Token | undefined {
  const ofChain = tokens.value.filter((token) => token.chainId === chainId)
  const wanted = text.trim()
  return (
    ofChain.find(({ address }) => isSame(address, wanted)) ??
    ofChain.find(({ symbol }) => isSame(symbol, wanted))
  )
}

/** For an amount of a token that the registry does not hold: raw, by its address. */
export const describeToken = (chainId: number, address: string) =>
  findToken(chainId, address) ?? { symbol: address, decimals: 0 }
