import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type Static, type TSchema, Type } from 'typebox'
import { type Address, getAddress, type Hex } from 'viem'
import { fail, type SourceFailure } from './source.ts'

/** Open objects: providers add fields at will, and only what is read here must be right. */
const ajv = new Ajv2020({
  meta: false,
  validateSchema: false,
  strict: true,
  allowUnionTypes: true,
})

/** Any spelling that a provider uses for an unsigned integer: "12", 12, "0xc". */
export const Amount = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  pattern: '^([0-9]{1,78}|0x[0-9a-fA-F]{1,64})$',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
})
export const AddressField = Type.Unsafe<string>({ type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' })
export const Calldata = Type.Unsafe<Hex>({
  type: 'string',
  pattern: '^0x([0-9a-fA-F]{2}){4,200000}$',
})

export function toAmount(value: string | number): bigint {
  return BigInt(value)
}

/** Checksummed whatever the provider's case: a wrong checksum in a foreign body means nothing. */
export function toAddress(value: string): Address {
  return getAddress(value.toLowerCase())
}

export type Read<value> = { readonly status: 'ok'; readonly value: value } | SourceFailure

/**
 * A reader of one provider's body: the checked value, or why it is not one. Compiled on first use:
 * most providers are not configured, and starting waits for none of them.
 */
export function createReader<const schema extends TSchema>(
  schema: schema,
): (body: unknown) => Read<Static<schema>> {
  let compiled: ValidateFunction | undefined
  return (body) => {
    compiled ??= ajv.compile(schema)
    const validate = compiled
    if (validate(body)) return { status: 'ok', value: body as Static<schema> }
    const [error] = validate.errors ?? []
    const where = error?.instancePath.replaceAll('/', '.').slice(1) ?? ''
    return fail('invalid_response', `${where === '' ? 'the body' : where} ${error?.message ?? ''}`)
  }
}
