/** Examples of the OpenAPI document, on Base. */
const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const seller = '0x03F4B3a9ADDCb22e718a21D6042e94fc8a30a1fD'
const requirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '100000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: seller,
}
const payment = {
  x402Version: 2,
  paymentPayload: {
    x402Version: 2,
    accepted: requirements,
    payload: {
      signature: `0x${'5c'.repeat(64)}1b`,
      authorization: {
        from: address,
        to: seller,
        value: requirements.amount,
        validAfter: '0',
        validBefore: '1795133000',
        nonce: `0x${'9e'.repeat(32)}`,
      },
    },
  },
}

export const verify = { input: payment, output: { isValid: true, payer: address } }

export const settle = {
  input: payment,
  output: {
    success: true,
    payer: address,
    transaction: `0x${'ab'.repeat(32)}`,
    network: 'eip155:8453',
    amount: requirements.amount,
  },
}
