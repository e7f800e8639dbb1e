/** Examples of the OpenAPI document, on Base. */
const owner = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const proxy = '0x6c1f6bd2e3a4c7b0bd5be2c5f0a1d9e8c7b6a5f4'
const factory = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const relayer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

export const proxyRequest = {
  input: {
    chainId: 8453,
    owner,
    tokenIn: '0x4200000000000000000000000000000000000006',
    amountIn: '1000000000000000000',
  },
  output: { txHash: `0x${'ab'.repeat(32)}`, proxy },
}

export const intents = {
  query: { chainId: 8453 },
  output: {
    chainId: 8453,
    servable: true,
    factory,
    relayer,
    deploysThisHour: 3,
    maxDeploysPerHour: 60,
    spendThisHourWei: '1200000000000',
    maxSpendPerHourWei: '20000000000000000',
    relayerBalanceWei: '50000000000000000',
  },
}

export const health = { output: { status: 'ok', version: '0.1.0', uptimeSecs: 3_600 } }
