import { assert, suite } from '../../../fixtures/test.ts'
import { isPrivateAddress } from './privateAddress.ts'

const s = suite('meta/privateAddress')

/** First and last of each range, and their neighbours outside of all. */
const ranges: readonly (readonly [
  before: string | undefined,
  first: string,
  last: string,
  after: string | undefined,
])[] = [
  [undefined, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '255.255.255.255', undefined],
  [undefined, '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  ['2000:ffff::', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  ['2001:db7:ffff::', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  ['2001:ffff::', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  ['3ffe:ffff::', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  ['3fff:ffff::', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
]
for (const [before, first, last, after] of ranges)
  s(`keeps ${first} to ${last} in, and what is beside it out [teeth/private]`, () => {
    for (const address of [first, last]) assert.ok(isPrivateAddress(address), address)
    for (const address of [before, after])
      if (address !== undefined) assert.not.ok(isPrivateAddress(address), address)
  })
s('keeps in what lies on both sides of a half [teeth/private]', () => {
  for (const address of ['10.128.0.0', '172.24.0.1', '198.19.0.1', '239.0.0.1', '7fff::', '8000::'])
    assert.ok(isPrivateAddress(address), address)
})
s(
  'keeps in an IPv4 address however IPv6 writes it, and takes no name for one [teeth/private]',
  () => {
    for (const address of ['::ffff:8.8.8.8', '::8.8.8.8', '64:ff9b::8.8.8.8'])
      assert.ok(isPrivateAddress(address), address)
    for (const name of ['localhost', '', '010.0.0.1']) assert.not.ok(isPrivateAddress(name), name)
  },
)
s.run()
