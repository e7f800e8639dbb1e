import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canMakeNetworks } from '../../../fixtures/canMakeNetworks.ts'
import { findDebianProgram, passOver } from '../../../fixtures/debianPrograms.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { LetIn } from './testing/comeFromNetworks.ts'

/** The proxy's door and callers by IPv6 and IPv4, in a network namespace of their own. */
const s = suite('front door, by networks')
const run = promisify(execFile)

if (!findDebianProgram('nginx')) passOver({ name: 'nginx', debianPackage: 'nginx-light' })
else if (await canMakeNetworks()) {
  const file = join(import.meta.dirname, 'testing', 'comeFromNetworks.ts')
  const { stdout } = await run('unshare', ['--net', process.execPath, file])
  const { byIpv6, byIpv4 }: LetIn = JSON.parse(stdout)

  s('bounds a /64 as one network, and a /48 of them as a site [24/proxy-ipv6]', () =>
    assert.equal(byIpv6, { ofNetwork: 64, ofNeighbour: 1, ofSite: 1_024, ofOtherSite: 1 }),
  )

  s('bounds an IPv4 address, and each of 256 that come at once [24/proxy-ipv4]', () =>
    assert.equal(byIpv4, { ofAddress: 64, ofNeighbour: 1, ofMany: 4 * 256, besideMany: 1 }),
  )
}
s.run()
