import type { IncomingHttpHeaders } from 'node:http'
import { type Address, maxUint256 } from 'viem'
import { readAddress } from '../../http/schemas.ts'
import { invalid } from './refusal.ts'

export type Fields = Readonly<Record<string, unknown>>

/** A request as every provider reads it. */
export type Call = {
  readonly params: Readonly<Record<string, string>>
  readonly query: Fields
  readonly headers: IncomingHttpHeaders
  /** Empty without a body. */
  readonly body: Fields
  readonly requestId: string
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

/** A flag of a query. */
export const isAsked = (fields: Fields, field: string): boolean =>
  fields[field] === true || fields[field] === 'true' || fields[field] === '1'

/** JSON has values that nothing turns into a text: an object whose `toString` is a number. */
const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number'

export function readText(fields: Fields, field: string): string {
  const value = fields[field]
  if (!isGiven(value)) throw invalid(field, 'is required')
  if (!isText(value)) throw invalid(field, 'is not a value')
  return String(value)
}

export const readOptionalText = (fields: Fields, field: string): string | undefined =>
  isGiven(fields[field]) ? readText(fields, field) : undefined

/** Of what was answered before and comes back: a seal over the same fields says whether it was changed. */
export const joinSealed = (fields: Fields, sealed: readonly string[]): string =>
  sealed.map((field) => (isText(fields[field]) ? fields[field] : '')).join()

export function toAddress(fields: Fields, field: string): Address {
  const address = readAddress(readText(fields, field))
  if (!address) throw invalid(field, 'is not an address')
  return address
}

export const toOptionalAddress = (fields: Fields, field: string): Address | undefined =>
  isGiven(fields[field]) ? toAddress(fields, field) : undefined

export function toAmount(fields: Fields, field: string): bigint {
  const text = readText(fields, field)
  if (!/^[1-9][0-9]{0,77}$/.test(text)) throw invalid(field, 'is not a positive whole number')
  return toBounded(field, BigInt(text))
}

/** Of an amount, in the smallest unit. */
export function toBounded(field: string, amount: bigint): bigint {
  if (amount <= maxUint256) return amount
  throw invalid(field, 'is more than any token counts')
}

export function toInteger(fields: Fields, field: string): number {
  const text = readText(fields, field)
  if (!/^[0-9]{1,15}$/.test(text)) throw invalid(field, 'is not a whole number')
  return Number(text)
}

export function toObject(fields: Fields, field: string): Fields {
  const value = fields[field]
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(field, 'is not an object')
  return value as Fields
}

/** How providers write a slippage: one basis point is so much of each. */
const bpsPer = { bps: 1, percent: 100, fraction: 10_000 } as const
/** What a decimal such as 0.29 may be off by once it is multiplied. */
const roundingBps = 1e-6

export function toSlippageBps(
  fields: Fields,
  {
    field,
    unit,
    fallbackBps,
    mostBps,
    leastBps = 0,
  }: {
    readonly field: string
    readonly unit: keyof typeof bpsPer
    readonly fallbackBps: number | undefined
    readonly mostBps: number
    readonly leastBps?: number
  },
): number {
  if (!isGiven(fields[field]) && fallbackBps !== undefined) return fallbackBps
  const bps = Math.floor(Number(readText(fields, field)) * bpsPer[unit] + roundingBps)
  if (bps >= leastBps && bps <= mostBps) return bps
  const [least, most] = [leastBps / bpsPer[unit], mostBps / bpsPer[unit]]
  throw invalid(field, `must be between ${least} and ${most}`)
}

/** A lab takes no fees for others: better refused than forgotten. */
export function throwOnFees(fields: Fields, names: readonly string[]): void {
  const isNothing = (value: unknown) => !isGiven(value) || (isText(value) && Number(value) === 0)
  const asked = names.find((name) => !isNothing(fields[name]))
  if (asked !== undefined) throw invalid(asked, 'is not supported: a lab takes no fees')
}
