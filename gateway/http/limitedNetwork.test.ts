import { assert, suite } from '../../fixtures/test.ts'
import { limitedNames, limitedNetwork, limitedSite } from './limitedNetwork.ts'

const s = suite('http/limitedNetwork')

s('takes the first 64 bits of an IPv6 address, however it is written', () => {
  const network = '2001:db8:0:1::/64'
  for (const ip of [
    '2001:db8:0:1::',
    '2001:db8:0:1:ffff:ffff:ffff:ffff',
    '2001:0DB8:0000:0001::7',
    '2001:db8::1:0:0:192.0.2.1',
  ])
    assert.is(limitedNetwork(ip), network)
  assert.is.not(limitedNetwork('2001:db8:0:2::'), network)
  assert.is(limitedNetwork('fe80::1%eth0'), 'fe80::/64')
  assert.is(limitedNetwork('::1'), '::/64')
})
s('takes the first 48 of a site, whose networks are given for nothing [attack/sites]', () => {
  assert.is(limitedSite('2001:db8:7:1::1'), '2001:db8:7::/48')
  assert.is(limitedSite('2001:db8:7:ffff::2'), '2001:db8:7::/48')
  assert.is(limitedSite('2001:db8:8:1::1'), '2001:db8:8::/48')
  assert.is(limitedSite('::ffff:203.0.113.9'), '203.0.113.9')
})
s('counts an IPv6 address by network and by site, an IPv4 one once [attack/sites]', () => {
  assert.equal(limitedNames('2001:db8:7:1::1'), [
    ['2001:db8:7:1::/64', 1],
    ['2001:db8:7::/48', 4],
  ])
  assert.equal(limitedNames('203.0.113.9'), [['203.0.113.9', 1]])
})
s('takes IPv4 addresses whole, mapped ones too', () => {
  for (const ip of [
    '203.0.113.9',
    '::ffff:203.0.113.9',
    '::FFFF:cb00:7109',
    '0:0:0:0:0:ffff:cb00:7109',
  ])
    assert.is(limitedNetwork(ip), '203.0.113.9')
  assert.is.not(limitedNetwork('203.0.113.8'), limitedNetwork('203.0.113.9'))
  assert.is(limitedNetwork(''), '')
})
s.run()
