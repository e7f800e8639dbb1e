import { createHash, createHmac, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43 // 32 bytes in base62
const checksumLength = 6 // 32 bits in base62

export type ApiKey = { readonly key: string; readonly start: string }

/**
 * `<prefix>_` + 32 random bytes + their CRC32, all base62; the checksum finds typos without a lookup.
 * A seed makes the same key each time: no secret, for labs.
 */
export function createApiKey({
  prefix,
  seed,
}: {
  readonly prefix: string
  readonly seed?: string | undefined
}): ApiKey {
  const bytes = seed === undefined ? randomBytes(32) : createHash('sha256').update(seed).digest()
  const secret = toBase62(BigInt(`0x${bytes.toString('hex')}`), secretLength)
  const body = `${prefix}_${secret}`
  return { key: body + checksum(body), start: body.slice(0, prefix.length + 5) }
}

export function isApiKey(value: string, { prefix }: { readonly prefix: string }): boolean {
  const length = prefix.length + 1 + secretLength + checksumLength
  if (value.length !== length || !value.startsWith(`${prefix}_`)) return false
  const body = value.slice(0, -checksumLength)
  return checksum(body) === value.slice(-checksumLength)
}

/** What is stored instead of the key. A fast hash is right for a 256-bit random secret. */
export function hashApiKey(key: string, { pepper }: { readonly pepper: string }): Buffer {
  return createHmac('sha256', pepper).update(key).digest()
}

export function randomId(prefix: string): string {
  return `${prefix}_${toBase62(BigInt(`0x${randomBytes(12).toString('hex')}`), 17)}`
}

const checksum = (body: string) => toBase62(BigInt(crc32(body)), checksumLength)

function toBase62(value: bigint, length: number): string {
  let rest = value
  let text = ''
  while (rest > 0n) {
    text = alphabet.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text.padStart(length, '0')
}
