import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client, manifest, sentenceOf } from './session.ts'

export type Token = {
  readonly chainId: number
  readonly address: `0x${string}`
  readonly symbol: string
  readonly decimals: number
  /** Named by those who run the gateway, or a token of the lab: a symbol is whatever its maker chose. */
  readonly isListed: boolean
}

export const tokens = signal<readonly Token[]>([])

/** Of the registry; where an address stands on both chains, the second's key names its chain. */
async function loadTokens(): Promise<void> {
  if (tokens.value.length > 0 || !client.value) return
  const { routing } = client.value
  const [registry, chains] = await Promise.all([routing.tokens(), routing.chains()])
  const listed = new Map(
    chains.map(({ chain_id, tokens: given }) => {
      const ofLab = Object.values(manifest.value?.chains[String(chain_id)]?.tokens ?? {})
      const addresses = [...given, ...ofLab.map(({ address }) => address)]
      return [chain_id, new Set(addresses.map((address) => address.toLowerCase()))]
    }),
  )
  tokens.value = Object.entries(registry).map(([key, { chain_id, symbol, decimals }]) => {
    // The document says what keys are.
    const address = key.replace(/^\d+:/, '') as `0x${string}`
    const isListed = listed.get(chain_id)?.has(address.toLowerCase()) === true
    return { chainId: chain_id, address, symbol, decimals, isListed }
  })
}

/** Reads them for a page that cannot do without; the sentence why they could not be read, empty where they were. */
export function useTokens() {
  const failure = useSignal('')
  useEffect(() => {
    loadTokens().catch((error: unknown) => {
      failure.value = sentenceOf(error)
    })
  }, [failure])
  return failure
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** By address, or by the symbol of a listed token. */
export function findToken(chainId: number, text: string): Token | undefined {
  const ofChain = tokens.value.filter((token) => token.chainId === chainId)
  const wanted = text.trim()
  return (
    ofChain.find(({ address }) => isSame(address, wanted)) ??
    ofChain.find(({ isListed, symbol }) => isListed && isSame(symbol, wanted))
  )
}

/** For an amount of a token that the registry does not hold: raw, by its address. */
export const describeToken = (chainId: number, address: string) =>
  findToken(chainId, address) ?? { symbol: address, decimals: 0 }
