import { Type } from 'typebox'
import { assert, suite } from '../../../fixtures/test.ts'
import { AddressField, Amount, Calldata, createReader, toAddress, toAmount } from './fields.ts'

const s = suite('meta/provider/fields')
const readAmount = createReader(Amount)
const isAmount = (value: unknown) => readAmount(value).status === 'ok'

s('reads an amount in any spelling that fits a contract, and no other', () => {
  const good = ['0', '12', '9'.repeat(78), '0xc', `0x${'f'.repeat(64)}`, 0, Number.MAX_SAFE_INTEGER]
  for (const value of good) assert.ok(isAmount(value), String(value))
  const bad = [
    '',
    '-1',
    '1.5',
    '1e3',
    '9'.repeat(79),
    '0x',
    `0x${'f'.repeat(65)}`,
    -1,
    1.5,
    2 ** 53,
    null,
  ]
  for (const value of bad) assert.not.ok(isAmount(value), String(value))
  assert.equal(['12', 12, '0xc'].map(toAmount), [12n, 12n, 12n])
})
s('reads an address whatever its case, and gives it its checksum', () => {
  const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  const read = createReader(AddressField)
  const spelt = [usdc, usdc.toLowerCase(), `0x${usdc.slice(2).toUpperCase()}`]
  for (const value of spelt) assert.equal([read(value).status, toAddress(value)], ['ok', usdc])
  for (const value of [usdc.slice(2), usdc.slice(0, -1), `${usdc}0`])
    assert.is(read(value).status, 'failure')
})
s('reads calldata that calls something, of whole bytes', () => {
  const read = createReader(Calldata)
  const isRead = (digits: number) => read(`0x${'a'.repeat(digits)}`).status === 'ok'
  assert.equal([8, 10, 400_000].map(isRead), [true, true, true])
  assert.equal([0, 6, 9, 400_002].map(isRead), [false, false, false, false])
})
s('says where a body is not what it should be', () => {
  const read = createReader(Type.Object({ tx: Type.Object({ to: AddressField }) }))
  const said = (body: unknown) => {
    const answer = read(body)
    return answer.status === 'failure' ? [answer.reason, answer.detail] : answer.value
  }
  const [reason, detail] = said({ tx: { to: 'x' } }) as string[]
  assert.is(reason, 'invalid_response')
  assert.match(detail ?? '', /^tx\.to must match pattern/)
  assert.equal(said([]), ['invalid_response', 'the body must be object'])
  assert.equal(said({}), ['invalid_response', "the body must have required property 'tx'"])
  const body = { tx: { to: `0x${'12'.repeat(20)}`, more: 1 } }
  assert.is(said(body), body)
})
s.run()
