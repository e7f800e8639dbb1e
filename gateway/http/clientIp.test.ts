import type { IncomingMessage } from 'node:http'
import { assert, suite } from '../../fixtures/test.ts'
import { createReadClientIp, readNetwork } from './clientIp.ts'

const s = suite('http/clientIp')
const request = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

s('ignores X-Forwarded-For of anyone who is not a listed proxy', () => {
  assert.is(createReadClientIp([])(request('10.0.0.1', '1.2.3.4')), '10.0.0.1')
  assert.is(createReadClientIp(['10.0.0.0/8'])(request('9.9.9.9', '1.2.3.4')), '9.9.9.9')
})
s('takes the right-most hop that is no listed proxy', () => {
  const read = createReadClientIp(['10.0.0.0/8'])
  assert.is(read(request('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2')), '1.2.3.4')
  assert.is(read(request('::ffff:10.0.0.1', '1.2.3.4')), '1.2.3.4')
  assert.is(read(request('10.0.0.1', 'nonsense')), '10.0.0.1')
})
s('has one spelling for an IPv4 caller, and leaves what is none as it is', () => {
  const read = createReadClientIp([])
  assert.is(read(request('::ffff:1.2.3.4')), '1.2.3.4')
  assert.is(read(request('::ffff:102:304')), '::ffff:102:304')
  assert.is(read(request('2001:db8::1')), '2001:db8::1')
})
s('trusts nobody who has no address any more [teeth/no-address]', () => {
  const read = createReadClientIp(['0.0.0.0/0', '::/0'])
  assert.is(read(request('', '1.2.3.4')), '')
  assert.is(read(request('nonsense', '1.2.3.4')), 'nonsense')
  assert.is(read(request('1.1.1.1', '2001:db8::1')), '2001:db8::1')
})
s('believes nobody for half a network', () => {
  for (const entry of ['10.0.0.0/', 'proxy.local', '10.0.0.0/abc', '10.0.0.0/33'])
    assert.throws(() => createReadClientIp([entry]), /no address or network/)
  assert.is(readNetwork('proxy.local'), undefined)
  const [ipv4, ipv6] = ['ipv4', 'ipv6'] as const
  assert.equal(readNetwork('10.0.0.0/32'), { address: '10.0.0.0', family: ipv4, prefix: 32 })
  assert.equal(readNetwork('2001:db8::/128'), { address: '2001:db8::', family: ipv6, prefix: 128 })
  assert.is(readNetwork('2001:db8::/129'), undefined)
})
s.run()
