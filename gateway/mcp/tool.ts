import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { Address, Hex } from 'viem'
import type { Connection } from './connect.ts'
import type { NamedToken, TokenBook } from './tokenBook.ts'

/** A row of the tools: who may call it, what it takes, what it does. */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: TObject
  /**
   * reads: changes nothing; credits: changes the caller's own quota; sends: has a transaction sent; lab: does
   * things to a lab, and exists there only.
   */
  readonly effect: 'reads' | 'credits' | 'sends' | 'lab'
  readonly handle: (connection: Connection, input: unknown) => Promise<object>
}

export function tool<properties extends TProperties>(definition: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: TObject<properties>
  readonly effect: Tool['effect']
  readonly handle: (connection: Connection, input: Static<TObject<properties>>) => Promise<object>
}): Tool {
  // The server has checked the input by the schema when it calls.
  return definition as unknown as Tool
}

const address = (description: string) =>
  Type.Unsafe<Address>({ type: 'string', pattern: '^0x[0-9a-fA-F]{40}$', description })
export const hash = (description: string) =>
  Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-fA-F]{64}$', description })
export const bytes = (description: string) =>
  Type.Unsafe<Hex>({ type: 'string', pattern: '^0x(?:[0-9a-fA-F]{2})*$', description })
export const raw = (description: string) => Type.String({ pattern: '^[0-9]{1,78}$', description })

export const chainId = Type.Integer({ description: 'Chain id: 8453 is Base, 42161 Arbitrum One' })
export const account = address
export const token = (description: string) =>
  Type.String({
    minLength: 1,
    description: `${description}: symbol of a listed token ("USDC", "ETH") or address`,
  })
export const amounts = {
  amount: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,60}(?:\\.[0-9]{1,36})?$',
      description: 'In whole tokens: "1.5"',
    }),
  ),
  amountRaw: Type.Optional(raw('Instead of amount: in the smallest unit of the token')),
}

/** What an agent wants to sell, in the terms of the services. */
export function readOrder(
  book: TokenBook,
  given: {
    readonly chainId: number
    readonly tokenIn: string
    readonly tokenOut: string
    readonly amount?: string | undefined
    readonly amountRaw?: string | undefined
  },
) {
  const [tokenIn, tokenOut] = [given.tokenIn, given.tokenOut].map((name) =>
    book.find(given.chainId, name),
  ) as [NamedToken, NamedToken]
  return { chainId: given.chainId, tokenIn, tokenOut, amountIn: book.toRaw(tokenIn, given) }
}
