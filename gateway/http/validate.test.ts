import { type TSchema, Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { checkShape, createValidate } from './validate.ts'

const s = suite('http/validate')

const sentences: readonly (readonly [name: string, TSchema, value: unknown, sentence: string])[] = [
  ['a type', Type.Integer(), '1', 'a must be an integer'],
  ['one of two types', Type.Unsafe({ type: ['string', 'null'] }), 1, 'a must be a string or null'],
  ['a pattern', Type.String({ pattern: '^a$' }), 'b', 'a must match ^a$'],
  [
    'a format of ours',
    Type.String({ format: 'bytes32' }),
    '0x',
    'a must be 0x-prefixed hex of 32 bytes',
  ],
  ['too many', Type.Array(Type.Any(), { maxItems: 2 }), [1, 2, 3], 'a must have at most 2 entries'],
  ['too few', Type.Array(Type.Any(), { minItems: 1 }), [], 'a must have at least 1 entries'],
  ['anything else', Type.String({ minLength: 2 }), 'b', 'a must NOT have fewer than 2 characters'],
  ['a word', Type.Unsafe({ type: 'string', enum: ['b', 'c'] }), 'd', 'a must be one of b, c'],
]
for (const [name, schema, value, sentence] of sentences)
  s(`says of ${name} what it must be, and where [teeth/sentences]`, () => {
    const refusal = createValidate(Type.Object({ a: schema }), 'body')({ a: value })
    const reason = sentence.slice('a '.length)
    assert.equal([refusal?.message, refusal?.details], [sentence, [{ field: 'a', reason }]])
  })
s('names a field by its path, as callers write it [teeth/sentences]', () => {
  const inner = Type.Object({ 'x/y~z': Type.Object({ n: Type.Integer() }) })
  const check = createValidate(Type.Object({ list: Type.Array(inner) }), 'body')
  const valid = { 'x/y~z': { n: 1 } }
  assert.is(check({ list: [valid] }), undefined)
  assert.is(check({ list: [valid, {}] })?.message, 'list[1].x/y~z is required')
  assert.is(
    check({ list: [valid, { 'x/y~z': { n: '1' } }] })?.message,
    'list[1].x/y~z.n must be an integer',
  )
  assert.is(check([])?.message, 'the body must be a JSON object')
})
s('says what of an answer is not of its shape [teeth/sentences]', () => {
  const shape = Type.Object({ n: Type.Integer() })
  assert.is(checkShape(shape, { n: 1 }), undefined)
  assert.is(checkShape(shape, { n: 'a' }), 'data/n must be integer')
})
s('takes no schema with a word that nobody knows [teeth/sentences]', () => {
  assert.throws(() => checkShape(Type.Unsafe({ type: 'string', maxLenght: 1 }), ''), /maxLenght/)
})
s.run()
