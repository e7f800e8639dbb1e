import { assert, suite } from '../../fixtures/test.ts'
import { hideCode } from './hideCode.ts'

const s = suite('what is asked of an account whose code is hidden')
const token = '0xac1bd2486aaf3b5c0fc3fd868558b082a531b2b4'
const hidden = new Set([token])
const sent = (text: string) => hideCode(Buffer.from(text), hidden).toString()

for (const [method, rest] of [
  ['eth_getCode', ['latest']],
  ['eth_getAccount', ['latest']],
  ['eth_getAccountInfo', ['latest']],
  ['eth_getProof', [[], 'latest']],
  ['ots_hasCode', ['latest']],
] as const)
  s(`is asked of one without any, by ${method}`, () => {
    const call = { id: 1, method, params: [token.toUpperCase().replace('X', 'x'), ...rest] }
    const changed = JSON.parse(sent(JSON.stringify([call])))
    assert.equal(changed, [{ ...call, params: [`0x${'0'.repeat(40)}`, ...rest] }])
  })

s('leaves everything else as it is written', () => {
  const other = `{"id":9007199254740993,"method":"eth_call","params":[{"to":"${token}"}, 1e400]}`
  assert.is(sent(other), other)
  assert.is(sent(`[${other}]`), `[${other}]`)
})
s.run()
