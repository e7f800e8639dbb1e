import { numberToHex, pad } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { decodePaymentHeader } from './paymentPayload.ts'

const s = suite('payment payload')
const address = pad('0x1', { size: 20 })
const accepted = { scheme: 'exact', network: 'eip155:8453', amount: '9', asset: address }
const authorization = { from: address, to: address, value: '9', validAfter: '0', validBefore: '9' }
const payment = {
  x402Version: 2,
  accepted: { ...accepted, payTo: address },
  payload: { signature: '0x01', authorization: { ...authorization, nonce: pad(numberToHex(1)) } },
}
const named = (id: string) => ({
  ...payment,
  extensions: { 'payment-identifier': { info: { id } } },
})
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const decode = (value: unknown) => decodePaymentHeader(encode(value))

s('reads what a client writes, with its own name for the payment [teeth/payment-header]', () => {
  assert.equal(decode(payment), payment)
  for (const id of ['a'.repeat(16), 'a'.repeat(128)]) assert.equal(decode(named(id)), named(id))
})
s('takes the signature of a wallet up to 8,192 bytes [teeth/payment-header]', () => {
  const signature = `0x${'00'.repeat(8_192)}`
  const long = { ...payment, payload: { ...payment.payload, signature } }
  assert.equal(decode(long), long)
})
s('says what is wrong with any other header [teeth/payment-header]', () => {
  assert.equal(decodePaymentHeader('{}'), { problem: 'it is not base64' })
  assert.equal(decodePaymentHeader('e30==='), { problem: 'it is not base64' })
  const cut = encode(payment).slice(0, 40)
  assert.equal(decodePaymentHeader(cut), { problem: 'it is not base64 of JSON' })
  for (const wrong of [
    { ...payment, x402Version: 1 },
    { ...payment, payload: { ...payment.payload, signature: `0x${'00'.repeat(8_193)}` } },
    named('a'.repeat(15)),
    named('a'.repeat(129)),
  ]) {
    const read = decode(wrong)
    assert.match('problem' in read ? read.problem : '', /^body\.|extensions|payload|x402Version/)
  }
})
s.run()
