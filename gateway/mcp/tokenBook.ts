import { type Address, formatUnits, isAddress, parseUnits, zeroAddress } from 'viem'
import type { Client, Ops } from '../client/index.ts'
import { ToolError } from './toolError.ts'

export type Token = {
  readonly chainId: number
  readonly symbol: string
  readonly address: Address
  readonly decimals: number
  /** Named by those who run the gateway: a symbol is whatever a token's maker chose. */
  readonly isListed: boolean
}

/** A token as agents name it; what the registry does not know has neither symbol nor decimals. */
export type NamedToken = { readonly address: Address; readonly known: Token | undefined }

/** For people and for programs. */
export type Amount = {
  readonly raw: string
  /** Which token that is; two may have one symbol. */
  readonly token?: Address | undefined
  readonly amount?: string | undefined
  readonly symbol?: string | undefined
}

export type TokenBook = ReturnType<typeof createTokenBook>

const nativeDecimals = 18
const nativeSymbol = 'ETH'

/** The tokens that a gateway knows, with the native currency of each of its chains; a lab lists its own, too. */
export async function readTokenBook(
  client: Client,
  manifest?: Pick<Ops.LabManifest, 'chains'>,
): Promise<TokenBook> {
  const [tokens, chains] = await Promise.all([client.routing.tokens(), client.routing.chains()])
  const listed = new Set(
    [
      ...chains.map((chain) => [chain.chain_id, chain.tokens] as const),
      ...Object.entries(manifest?.chains ?? {}).map(([id, chain]) => {
        const ofLab = Object.values(chain.tokens).map(({ address }) => address)
        return [Number(id), ofLab] as const
      }),
    ].flatMap(([id, addresses]) => addresses.map((address) => nameOf(id, address))),
  )
  const registry = Object.entries(tokens).map(
    ([key, { chain_id: chainId, symbol, decimals }]): Token => {
      // `<chain id>:<address>` where another chain has the address, too.
      const address = key.slice(key.indexOf(':') + 1) as Address
      const isListed = listed.has(nameOf(chainId, address))
      return { chainId, symbol, address, decimals, isListed }
    },
  )
  const natives = [...new Set(registry.map(({ chainId }) => chainId))].map((chainId) => ({
    chainId,
    symbol: nativeSymbol,
    address: zeroAddress,
    decimals: nativeDecimals,
    isListed: true,
  }))
  return createTokenBook([...natives, ...registry])
}

const nameOf = (chainId: number, address: string) => `${chainId}:${address.toLowerCase()}`

export function createTokenBook(tokens: readonly Token[]) {
  const toAmount = ({ address, known }: NamedToken, raw: bigint | string): Amount => ({
    raw: String(raw),
    token: address,
    ...(known && { amount: formatUnits(BigInt(raw), known.decimals), symbol: known.symbol }),
  })
  return {
    tokens,
    toAmount,
    toWei: (raw: bigint | string): Amount => ({
      raw: String(raw),
      amount: formatUnits(BigInt(raw), nativeDecimals),
      symbol: nativeSymbol,
    }),
    /** By address, or by the symbol of a listed token. */
    find(chainId: number, name: string): NamedToken {
      const wanted = name.toLowerCase()
      const onChain = tokens.filter((token) => token.chainId === chainId)
      if (isAddress(name, { strict: false })) {
        const known = onChain.find(({ address }) => address.toLowerCase() === wanted)
        return { address: name, known }
      }
      const bearers = onChain.filter(({ symbol }) => symbol.toLowerCase() === wanted)
      const [known, ...others] = bearers.filter(({ isListed }) => isListed)
      if (known && others.length === 0) return { address: known.address, known }
      const addresses = bearers.map(({ address }) => address).join(', ')
      if (known)
        throw new ToolError(`${name} is the symbol of several tokens on chain ${chainId}`, {
          next: `Name one by its address: ${addresses}`,
        })
      if (bearers.length > 0)
        throw new ToolError(`no listed token of chain ${chainId} has the symbol ${name}`, {
          next: `Anybody may give a token that symbol. Ask whoever wants it which address is meant, and give that; these bear it: ${addresses}`,
        })
      throw new ToolError(`no token ${name} is known on chain ${chainId}`, {
        next: 'Call tokens for those that are known, or give the address of the token.',
      })
    },
    /** Human units by what the registry knows, or raw ones as they stand. */
    toRaw({ address, known }: NamedToken, given: GivenAmount): bigint {
      const { amount, amountRaw } = given
      if ((amount === undefined) === (amountRaw === undefined))
        throw new ToolError('one of amount and amountRaw is needed, and not both', {
          next: 'Give amount in whole tokens ("1.5"), or amountRaw in the smallest unit of the token.',
        })
      if (amountRaw !== undefined) return BigInt(amountRaw)
      if (!known)
        throw new ToolError(`the registry does not know how many decimals ${address} has`, {
          next: 'Give amountRaw, in the smallest unit of the token.',
        })
      return parseExactly(amount ?? '', known)
    },
  }
}

export type GivenAmount = {
  readonly amount?: string | undefined
  readonly amountRaw?: string | undefined
}

/** `parseUnits` rounds what is too fine. */
function parseExactly(amount: string, { decimals, symbol }: Token): bigint {
  const [, fraction = ''] = amount.split('.')
  if (fraction.length <= decimals) return parseUnits(amount, decimals)
  throw new ToolError(`${symbol} has ${decimals} decimals, ${amount} has ${fraction.length}`, {
    next: `Give at most ${decimals} digits after the point.`,
  })
}
