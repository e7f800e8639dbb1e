import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canMakeNetworks } from '../../../fixtures/canMakeNetworks.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { apart } from './networks.ts'

/** Networks of the front door's bench. */
const s = suite('networks around the door')

if (await canMakeNetworks()) {
  const [program = '', ...args] = [...apart, process.execPath]
  const file = join(import.meta.dirname, 'testing', 'seeAddresses.ts')
  const { stdout } = await promisify(execFile)(program, [...args, file])

  s('honest callers and strangers each come from a network of their own [24/bench-networks]', () =>
    assert.equal(JSON.parse(stdout), {
      ipv4: ['10.0.1.2'],
      ipv6: ['fd00:1::2'],
      'strangers of ipv4': ['198.18.0.0', '198.18.0.1', '198.18.0.2'],
      'strangers of network': ['2001:db8:8000::1', '2001:db8:8000::2', '2001:db8:8000::3'],
      'strangers of networks': ['2001:db8:8001:1::1', '2001:db8:8001:2::1', '2001:db8:8001::1'],
      'strangers of sites': ['2001:db8:9000::1', '2001:db8:9001::1', '2001:db8:9002::1'],
    }),
  )
}
s.run()
