import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, custom, keccak256, stringToBytes } from 'viem'
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
const named = { key_id: 'key_1', key_id_hash: keccak256(stringToBytes('key_1')) }
let keyInfo: object = named
let pricing = () => ({ contracts: [offer] }) as object

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  s.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
const port = await listen(({ url }, response) =>
  response.end(JSON.stringify(url === '/auth/key-info' ? keyInfo : pricing())),
)

let heard = 0
const elsewhere = await listen((_, response) => {
  heard += 1
  response.end(JSON.stringify(pricing()))
})
const redirecting = await listen(({ url }, response) => {
  response.writeHead(302, { location: `http://127.0.0.1:${elsewhere}${url}` }).end()
})

/** What it fails by, over a chain where nothing is to be asked. */
async function failureOf(changed: object, at = port): Promise<string> {
  offer = { ...honest, ...changed }
  const request = async () => {
    throw new Error('the chain was asked')
  }
  const client = createClient({
    account: privateKeyToAccount(`0x${'1'.repeat(64)}`),
    chain: toViemChain(base),
    transport: custom({ request }, { retryCount: 0 }),
  })
  const deps = { serviceUrl: `http://127.0.0.1:${at}`, apiKey: 'k', client, report: () => {} }
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
s('is for the key that the chain will name, or nothing is sent [attack/buy-key]', async () => {
  const { key_id_hash } = named
  for (const told of [
    {},
    { key_id_hash },
    { key_id: named.key_id },
    { ...named, key_id_hash: 7 },
    { ...named, key_id_hash: keccak256('0x') },
    { ...named, key_id: 'key_2' },
  ]) {
    keyInfo = told
    assert.match(await failureOf({}), 'as its hash')
  }
  keyInfo = named
})
s('no other host is sent the key [attack/buy-redirect]', async () => {
  const failure = await failureOf({}, redirecting)
  assert.is(heard, 0)
  assert.match(failure, '/auth/pricing is not answered: unexpected redirect')
})
s.run()
