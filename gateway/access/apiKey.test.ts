import { assert, suite } from '../../fixtures/test.ts'
import { createApiKey, hashApiKey, isApiKey } from './apiKey.ts'

const s = suite('access/apiKey')
const prefix = 'forkyard_test'

s('makes keys that one expression finds and that are all different [access/key-form]', () => {
  const keys = Array.from({ length: 200 }, () => createApiKey({ prefix }).key)
  assert.is(new Set(keys).size, 200)
  for (const key of keys) {
    assert.match(key, /^forkyard_test_[0-9A-Za-z]{49}$/)
    assert.ok(isApiKey(key, { prefix }))
  }
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
  for (const wrong of ['', key.slice(1), `${key}a`, `${key}, ${key}`, key.replace('test', 'live')])
    assert.not.ok(isApiKey(wrong, { prefix }))
})
s('hashes under the pepper [access/pepper]', () => {
  const { key } = createApiKey({ prefix })
  assert.is(hashApiKey(key, { pepper: 'a' }).length, 32)
  assert.not.equal(hashApiKey(key, { pepper: 'a' }), hashApiKey(key, { pepper: 'b' }))
})
s.run()
