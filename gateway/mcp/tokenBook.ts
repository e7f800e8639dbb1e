import { type Address, formatUnits, isAddress, parseUnits, zeroAddress } from 'viem'
import type { Client } from '../client/index.ts'
import { ToolError } from './toolError.ts'

export type Token = {
  readonly chainId: number
  readonly symbol: string
  readonly address: Address
  readonly decimals: number
}

/** A token as agents name it; what the registry does not know has neither symbol nor decimals. */
export type NamedToken = { readonly address: Address; readonly known: Token | undefined }

/** For people and for programs. */
export type Amount = {
  readonly raw: string
  readonly amount?: string | undefined
  readonly symbol?: string | undefined
}

export type TokenBook = ReturnType<typeof createTokenBook>

const nativeDecimals = 18
const nativeSymbol = 'ETH'

/** The tokens that a gateway knows, with the native currency of each of its chains. */
export async function readTokenBook(client: Client): Promise<TokenBook> {
  const registry = Object.entries(await client.routing.tokens()).map(
    ([key, { chain_id: chainId, symbol, decimals }]): Token => ({
      chainId,
      symbol,
      // `<chain id>:<address>` where another chain has the address, too.
      address: key.slice(key.indexOf(':') + 1) as Address,
      decimals,
    }),
  )
  const natives = [...new Set(registry.map(({ chainId }) => chainId))].map((chainId) => ({
    chainId,
    symbol: nativeSymbol,
    address: zeroAddress,
    decimals: nativeDecimals,
  }))
  return createTokenBook([...natives, ...registry])
}

export function createTokenBook(tokens: readonly Token[]) {
  const toAmount = ({ known }: NamedToken, raw: bigint | string): Amount => ({
    raw: String(raw),
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
    /** By symbol or address. */
    find(chainId: number, name: string): NamedToken {
      const wanted = name.toLowerCase()
      const onChain = tokens.filter((token) => token.chainId === chainId)
      if (isAddress(name, { strict: false })) {
        const known = onChain.find(({ address }) => address.toLowerCase() === wanted)
        return { address: name, known }
      }
      const [known, ...others] = onChain.filter(({ symbol }) => symbol.toLowerCase() === wanted)
      if (known && others.length === 0) return { address: known.address, known }
      throw known
        ? new ToolError(`${name} is the symbol of several tokens on chain ${chainId}`, {
            next: `Name one by its address: ${[known, ...others].map(({ address }) => address).join(', ')}`,
          })
        : new ToolError(`no token ${name} is known on chain ${chainId}`, {
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
