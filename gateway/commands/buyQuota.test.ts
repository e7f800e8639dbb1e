import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, custom } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import { toViemChain } from '../chain/client.ts'
import { buyQuota } from './buyQuota.ts'

const s = suite('what the buyer of quota is asked for')
const { usdc, wrappedNative } = base
const honest = {
  chain_id: base.chainId,
  quota_contract: `0x${'7'.repeat(40)}`,
  payment_token: usdc.address,
  amount_per_quote: '100',
}
let offer: object = honest
let pricing = () => ({ contracts: [offer] }) as object
const server = createServer((_, response) => response.end(JSON.stringify(pricing())))
await once(server.listen(0, '127.0.0.1'), 'listening')
const { port } = server.address() as AddressInfo
s.after(() => {
  server.closeAllConnections()
  server.close()
})

/** What it fails by, over a chain where nothing is to be asked. */
async function failureOf(changed: object): Promise<string> {
  offer = { ...honest, ...changed }
  const request = async () => {
    throw new Error('the chain was asked')
  }
  const client = createClient({
    account: privateKeyToAccount(`0x${'1'.repeat(64)}`),
    chain: toViemChain(base),
    transport: custom({ request }, { retryCount: 0 }),
  })
  const deps = { serviceUrl: `http://127.0.0.1:${port}`, apiKey: 'k', client, report: () => {} }
  return buyQuota(deps, { quotes: 25 }).then(
    () => 'nothing',
    (error: Error) => error.message,
  )
}

s(
  'is USDC and at the price that every quota contract has, or nothing is sent [client/buy-price]',
  async () => {
    assert.match(await failureOf({ payment_token: wrappedNative }), 'quota is paid in USDC')
    assert.match(await failureOf({ amount_per_quote: '101' }), 'asks for 101 raw USDC a quote')
    assert.match(await failureOf({ amount_per_quote: '-1' }), 'asks for -1 raw USDC a quote')
    assert.match(await failureOf({}), 'the chain was asked')
  },
)
s('is told in a sentence where the answer is no offer at all [client/buy-shape]', async () => {
  for (const [changed, told] of [
    [{ payment_token: undefined }, 'the service gave no address as payment_token'],
    [{ payment_token: 7 }, 'the service gave no address as payment_token'],
    [{ quota_contract: undefined }, 'the service gave no address as quota_contract'],
    [{ quota_contract: '0x12' }, 'the service gave no address as quota_contract'],
    [{ amount_per_quote: undefined }, 'asks for undefined raw USDC a quote'],
    [{ amount_per_quote: 'free' }, 'asks for free raw USDC a quote'],
  ] as const)
    assert.match(await failureOf(changed), told)
  const usual = pricing
  for (const answer of [{}, { contracts: null }, { contracts: [null] }]) {
    pricing = () => answer
    assert.match(await failureOf({}), `no quota is sold on chain ${base.chainId}`)
  }
  pricing = usual
})
s.run()
