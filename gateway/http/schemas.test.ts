import { type TSchema, Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import * as schemas from './schemas.ts'
import { createValidate } from './validate.ts'

const s = suite('http/schemas')
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const isTaken = (schema: TSchema) => {
  const validate = createValidate(Type.Object({ a: schema }), 'body')
  return (a: unknown) => validate({ a }) === undefined
}
const hex = (bytes: number) => `0x${'ab'.repeat(bytes)}`

for (const [name, schema, taken, refused] of [
  ['whole bytes', schemas.bytes(), ['0x', hex(1), hex(33)], ['', '0xa', '0xabc', 'ab', '0xgg']],
  ['32 bytes', schemas.bytes32(), [hex(32)], ['0x', hex(31), hex(33), `${hex(31)}gg`]],
  [
    'what is paid along',
    schemas.weiAmount(),
    ['0', '10', '0xa', hex(32)],
    ['', '0x', '-1', hex(33)],
  ],
  [
    'an amount',
    schemas.uint256(),
    ['0', String(2n ** 256n - 1n)],
    ['', '01', '1.0', String(2n ** 256n)],
  ],
  [
    'a pool',
    Type.String({ format: 'pool' }),
    [usdc, hex(32)],
    ['0x', hex(21), hex(31), usdc.replace('fCD', 'FCD'), `${hex(32)}00`],
  ],
  ['slippage', schemas.slippageBpsOrAuto(), [0, 10_000, 'auto'], [-1, 10_001, 'autos', 0.5]],
  ['a chain', schemas.chainId([1]), [1], [2, '1']],
  ['no chain', schemas.chainId([]), [], [1]],
  ['one of', schemas.oneOf(['a', 'b']), ['a', 'b'], ['c']],
] as const)
  s(`takes ${name}, and nothing near it [teeth/schemas]`, () => {
    const takes = isTaken(schema)
    assert.equal(
      taken.filter((value) => !takes(value)),
      [],
    )
    assert.equal(
      refused.filter((value) => takes(value)),
      [],
    )
  })

s('takes 50 bps where none are given [teeth/schemas]', () => {
  const shape = Type.Object({ own: schemas.slippageBps(), auto: schemas.slippageBpsOrAuto() })
  const body = {}
  createValidate(shape, 'body')(body)
  assert.equal(body, { own: 50, auto: 50 })
})
s('spells an address with its checksum, and throws for what is none [teeth/schemas]', () => {
  for (const value of [usdc, usdc.toLowerCase(), `0x${usdc.slice(2).toUpperCase()}`])
    assert.equal([schemas.toChecksummed(value), schemas.readAddress(value)], [usdc, usdc])
  assert.is(schemas.readAddress(usdc.replace('fCD', 'FCD')), undefined)
  assert.throws(() => schemas.toChecksummed('0x12'), 'not an address: 0x12')
  // A log is not for whatever somebody sent.
  assert.throws(
    () => schemas.toChecksummed('z'.repeat(60)),
    (error: Error) => error.message === `not an address: ${'z'.repeat(50)}`,
  )
})
s(
  'holds the one letter that is upper case to the checksum, wherever it stands [teeth/schemas]',
  () => {
    const lower = `0x${'ab'.repeat(20)}`
    for (const at of [2, 3, 41]) {
      const mixed = lower.slice(0, at) + lower.charAt(at).toUpperCase() + lower.slice(at + 1)
      assert.is(schemas.readAddress(mixed), undefined, mixed)
    }
  },
)
s.run()
