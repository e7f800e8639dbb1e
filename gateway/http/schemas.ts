import { type Static, type TSchema, Type } from 'typebox'
import { type Address, checksumAddress, type Hex, isHex } from 'viem'

/** A defaulted field: filled in before the handler sees it, and not listed as `required` in OpenAPI. */
export const withDefault = <schema extends TSchema>(schema: schema): schema =>
  // The runtime marks it optional; the static type stays non-optional because ajv fills it in.
  Type.Optional(schema) as unknown as schema

/** A schema that OpenAPI lists by a name of its own, and clients have a type of that name for. */
export const named = <const schema extends TSchema>(title: string, schema: schema): schema =>
  Object.assign(schema, { title })

const maxUint256 = 2n ** 256n - 1n
const hexAddress = /^0x[0-9a-fA-F]{40}$/
const decimal = /^(0|[1-9][0-9]{0,77})$/

/** By the text they came as. Looked up for every request, so nothing orders it by use; it starts over when full. */
const checksummed = new Map<string, Address>()
const mostChecksummed = 4_096

/**
 * The checksummed form of an address, undefined for what is none. Lower or upper case carry no checksum; a
 * mixed case must be the right one (EIP-55).
 */
export function readAddress(value: string): Address | undefined {
  const known = checksummed.get(value)
  if (known !== undefined) return known
  if (!hexAddress.test(value)) return undefined
  const digits = value.slice(2)
  const address = checksumAddress(value.toLowerCase() as Address)
  const hasCase = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (hasCase && address !== value) return undefined
  if (checksummed.size >= mostChecksummed) checksummed.clear()
  checksummed.set(value, address)
  return address
}

const isAddressAnyCase = (value: string): value is Address => readAddress(value) !== undefined

/** Of a value that its schema has found to be an address. */
export function toChecksummed(value: string): Address {
  const address = readAddress(value)
  if (!address) throw new Error(`not an address: ${value.slice(0, 50)}`)
  return address
}

const isUint256 = (value: string) => decimal.test(value) && BigInt(value) <= maxUint256

/** Formats ajv checks, each with the words that finish the sentence "<field> must be …". */
export const formats = {
  address: {
    words: 'a 0x-prefixed 20-byte address (a mixed-case one with its right checksum)',
    validate: isAddressAnyCase,
  },
  uint256: { words: 'a decimal string of an unsigned 256-bit integer', validate: isUint256 },
  positiveUint256: {
    words: 'a decimal string of an unsigned 256-bit integer above zero',
    validate: (value: string) => value !== '0' && isUint256(value),
  },
  pool: {
    words: 'the address of a pool, or its id of 32 bytes',
    validate: (value: string) => isAddressAnyCase(value) || /^0x[0-9a-fA-F]{64}$/.test(value),
  },
  bytes: {
    words: '0x-prefixed hex of whole bytes',
    validate: (value: string) => isHex(value) && value.length % 2 === 0,
  },
  bytes32: {
    words: '0x-prefixed hex of 32 bytes',
    validate: (value: string) => /^0x[0-9a-fA-F]{64}$/.test(value),
  },
  weiAmount: {
    words: 'a decimal or 0x-hex string of an unsigned 256-bit integer',
    validate: (value: string) => /^0x[0-9a-fA-F]{1,64}$/.test(value) || isUint256(value),
  },
} as const

type Documentation = { readonly description?: string; readonly examples?: readonly unknown[] }

/** An address in any case; answer it with `getAddress`. */
export const address = (documentation: Documentation = {}) =>
  Type.Unsafe<Address>({
    type: 'string',
    format: 'address',
    pattern: '^0x[0-9a-fA-F]{40}$',
    ...documentation,
  })

/** A raw token amount as a decimal string, zero allowed. */
export const uint256 = (documentation: Documentation = {}) =>
  Type.Unsafe<string>({ type: 'string', format: 'uint256', ...documentation })

export const positiveUint256 = (documentation: Documentation = {}) =>
  Type.Unsafe<string>({ type: 'string', format: 'positiveUint256', ...documentation })

/** `msg.value` as callers send it: decimal or 0x-hex. `BigInt(value)` reads both. */
export const weiAmount = (documentation: Documentation = {}) =>
  Type.Unsafe<string>({ type: 'string', format: 'weiAmount', ...documentation })

export const bytes = (documentation: Documentation & { maxLength?: number } = {}) =>
  Type.Unsafe<Hex>({ type: 'string', format: 'bytes', ...documentation })

export const bytes32 = (documentation: Documentation = {}) =>
  Type.Unsafe<Hex>({ type: 'string', format: 'bytes32', ...documentation })

/** One of the configured chains; none where there are none, which an empty `enum` would not say. */
export const chainId = (chainIds: readonly number[]) =>
  Type.Unsafe<number>({
    type: 'integer',
    ...(chainIds.length > 0 ? { enum: [...chainIds] } : { not: {} }),
    description: 'Chain id',
  })

/** One of a few fixed strings, with one clear message (a union of literals gives a poor one). */
export const oneOf = <const values extends readonly string[]>(
  values: values,
  documentation: Documentation = {},
) => Type.Unsafe<values[number]>({ type: 'string', enum: [...values], ...documentation })

/** Basis points, 0 to 10,000; `fallback` when the caller sends none. */
export const bps = (fallback: number, documentation: Documentation = {}) =>
  withDefault(Type.Integer({ minimum: 0, maximum: 10_000, default: fallback, ...documentation }))

export const slippageBps = (fallback = 50) =>
  bps(fallback, { description: 'Slippage allowed below the quoted output, in basis points' })

/** The same, or `auto`. */
export const slippageBpsOrAuto = () =>
  withDefault(
    Type.Unsafe<number | 'auto'>({
      type: ['integer', 'string'],
      minimum: 0,
      maximum: 10_000,
      pattern: '^auto$',
      default: 50,
      description:
        'Slippage allowed below the quoted output, in basis points; "auto" takes it from what the pools of the route did lately (10 to 150), and slippage_auto says how',
    }),
  )

export type { Static }
