import type { IncomingMessage } from 'node:http'
import { assert, suite } from '../../fixtures/test.ts'
import { createReadClientIp } from './clientIp.ts'

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
s('believes nobody for half a network', () => {
  for (const entry of ['10.0.0.0/', 'proxy.local', '10.0.0.0/abc', '10.0.0.0/33'])
    assert.throws(() => createReadClientIp([entry]), entry)
})
s.run()
