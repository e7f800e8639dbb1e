const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const nonce = 'k2ZrYtq8XnW4vB6dLs0fPmHc'
const quota = { quota_total: 1000, quota_used: 12, quota_remaining: 988 }
const contract = {
  network: 'eip155:8453',
  quota_contract: '0x03F4B3a9ADDCb22e718a21D6042e94fc8a30a1fD',
  payment_token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
}

export const challenge = {
  input: { address },
  output: {
    message: `lab.example wants you to sign in with your Ethereum account:\n${address}\n…`,
    nonce,
    expires_at: '2026-11-21T00:10:00.000Z',
  },
}

export const register = {
  input: { address, nonce, signature: `0x${'5c'.repeat(64)}1b` },
  output: { api_key: 'forkyard_live_…', scopes: ['quote'], ...quota },
}

export const keyInfo = {
  output: {
    key_id: 'key_0aB3dE6gH9jK2mN5p',
    key_id_hash: `0x${'7f'.repeat(32)}`,
    status: 'active',
    wallet: address,
    ...quota,
    created_at: '2026-11-21T00:00:00.000Z',
    scopes: ['quote'],
  },
}

export const pricing = {
  output: {
    x402_version: 2,
    unit_price_usd: 0.0001,
    unit_price_usdc_6dec: 100,
    contracts: [{ chain_id: 8453, ...contract, amount_per_quote: '100' }],
  },
}

export const claim = {
  input: { chain_id: 8453, tx_hash: `0x${'ab'.repeat(32)}` },
  output: { purchased_quotes: 1000, ...quota },
}

export const discovery = {
  output: {
    x402Version: 2,
    accepts: [
      {
        scheme: 'exact',
        network: contract.network,
        amount: '100000',
        asset: contract.payment_token,
        payTo: contract.quota_contract,
        maxTimeoutSeconds: 120,
        extra: { name: 'USD Coin', version: '2', assetTransferMethod: 'eip3009' },
      },
    ],
    resources: [
      { method: 'POST', url: 'https://routing.example/quote', units: 1 },
      {
        method: 'POST',
        url: 'https://routing.example/compare/simulate',
        units: 1,
        per: 'candidate',
      },
    ],
  },
}
