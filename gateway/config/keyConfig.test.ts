import { assert, suite } from '../../fixtures/test.ts'
import { readConfig } from './config.ts'
import { readKeyConfig } from './keyConfig.ts'
import type { Environment } from './readSettings.ts'

const s = suite('config/keyConfig')
const enough = { KEY_PEPPER: 'p'.repeat(32) }
const former = { KEY_PEPPER_FORMER: 'f'.repeat(32), KEY_PEPPER_FORMER_UNTIL: '2027-01-31T12:00Z' }
const faultOf = (env: Environment) => {
  try {
    readKeyConfig(env)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

s(
  'asks for a pepper and no chain, and reads a former one with its date [24/pepper-settings]',
  () => {
    const { keyPrefix, formerPepper } = readKeyConfig(enough)
    assert.equal([keyPrefix, formerPepper], ['fy_live', undefined])
    const untilMs = Date.UTC(2027, 0, 31, 12)
    const expected = { pepper: former.KEY_PEPPER_FORMER, untilMs }
    assert.equal(readKeyConfig({ ...enough, ...former }).formerPepper, expected)
    const gateway = readConfig({ ...enough, ...former, BASE_RPC_URL: 'http://127.0.0.1:1' })
    assert.equal(gateway.formerPepper, expected)
  },
)

s('names what is wrong', () => {
  assert.match(faultOf({}), /^KEY_PEPPER must/)
  assert.match(
    faultOf({ ...enough, ...former, KEY_PEPPER_FORMER: 'short' }),
    /KEY_PEPPER_FORMER must/,
  )
  for (const until of ['', 'tomorrow', '12', '2027-01-31T12:00', '2027-01-31T25:00Z', '2027-02-31'])
    assert.match(
      faultOf({ ...enough, ...former, KEY_PEPPER_FORMER_UNTIL: until }),
      /KEY_PEPPER_FORMER_UNTIL must be a UTC date/,
    )
})

s.run()
