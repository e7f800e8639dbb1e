import { assert, suite } from '../../../../fixtures/test.ts'
import { toAddress } from './readBridgeAddress.ts'

const s = suite('readBridgeAddress')

s('refuses an engine that tells no address, rather than take every one [runner/bridge]', () => {
  for (const gateway of ['', undefined])
    assert.throws(() => toAddress(gateway), 'the engine tells no gateway of its default bridge')
  assert.is(toAddress('172.17.0.1'), '172.17.0.1')
})
s.run()
