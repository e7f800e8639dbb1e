import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { assert, suite } from '../../fixtures/test.ts'
import { createApiKey, hashApiKey, isApiKey, randomId } from './apiKey.ts'

const s = suite('access/apiKey')
const prefix = 'forkyard_test'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const fromBase62 = (text: string) =>
  Array.from(text).reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n)

s('makes keys that one expression finds and that are all different [access/key-form]', () => {
  const made = Array.from({ length: 200 }, () => createApiKey({ prefix }))
  const keys = made.map(({ key }) => key)
  assert.is(new Set(keys).size, 200)
  for (const { key, start } of made) {
    assert.match(key, /^forkyard_test_[0-9A-Za-z]{49}$/)
    assert.ok(isApiKey(key, { prefix }))
    assert.is(start, key.slice(0, prefix.length + 5))
  }
  // All 32 bytes are random, to the first of them.
  assert.ok(new Set(keys.map((key) => key[prefix.length + 1])).size > 10)
})
s('writes the bytes of a seed and their CRC32 in base62 [access/key-seed]', () => {
  for (let seed = 0; seed < 1_000; seed++) {
    const { key } = createApiKey({ prefix, seed: `${seed}` })
    const [body, checksum] = [key.slice(0, -6), key.slice(-6)]
    const bytes = createHash('sha256').update(`${seed}`).digest('hex')
    assert.is(fromBase62(body.slice(prefix.length + 1)), BigInt(`0x${bytes}`))
    assert.is(fromBase62(checksum), BigInt(crc32(body)))
  }
})
s('makes ids of one length and 96 random bits [access/id-form]', () => {
  const ids = Array.from({ length: 200 }, () => randomId('key'))
  assert.is(new Set(ids).size, 200)
  for (const id of ids) assert.match(id, /^key_[01][0-9A-Za-z]{16}$/)
  assert.ok(ids.some((id) => id.startsWith('key_1')))
})
s('refuses every typo of one character [access/key-typo]', () => {
  const { key } = createApiKey({ prefix })
  for (let index = 0; index < key.length; index++) {
    const typo = key.slice(0, index) + (key[index] === 'a' ? 'b' : 'a') + key.slice(index + 1)
    assert.not.ok(isApiKey(typo, { prefix }), typo)
  }
})
s('refuses other lengths, prefixes and duplicated headers', () => {
  const { key } = createApiKey({ prefix })
  const elsewhere = createApiKey({ prefix: 'forkyard_live' }).key
  for (const wrong of ['', key.slice(1), `${key}a`, `${key}, ${key}`, elsewhere])
    assert.not.ok(isApiKey(wrong, { prefix }))
})
s('hashes under the pepper [access/pepper]', () => {
  const { key } = createApiKey({ prefix })
  assert.is(hashApiKey(key, { pepper: 'a' }).length, 32)
  assert.not.equal(hashApiKey(key, { pepper: 'a' }), hashApiKey(key, { pepper: 'b' }))
})
s.run()
