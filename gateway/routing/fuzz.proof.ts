import { inspect } from 'node:util'
import { encodeFunctionData, erc20Abi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { send } from '../../fixtures/chains/send.ts'
import { fuzzEndpoints } from '../../fixtures/fuzzEndpoints.ts'
import { createInject } from '../../fixtures/inject.ts'
import { byLength, reportFigures } from '../../fixtures/proof.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { createAccess } from '../access/access.ts'
import { createKey } from '../access/issueKeys.ts'
import { createChallenge } from '../access/siweChallenge.ts'
import { accessEndpoints } from '../access/wire/routes.ts'
import { benchAccess } from '../bench/server/benchAccess.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { createService } from '../http/service.ts'
import { openStore } from '../store/openStore.ts'
import { createRouting } from './service/routing.ts'

/**
 * Generated bodies and queries against every endpoint of the routing service: no 5xx, one
 * sentence for each refusal, and the ledger moves by exactly what the answers with 200 cost. In process,
 * with the real store, chain and simulator. Usage: `node gateway/routing/fuzz.proof.ts 25000 [path]
 * [seed]`; four seeds make the 100,000 of each endpoint.
 */
const requestsPerEndpoint = Number(process.argv[2] ?? byLength({ short: 2_000, long: 25_000 }))
const only = process.argv[3]
const seed = Number(process.argv[4] ?? 1)
const chainId = 8453
const world = await startWorldChain({ chainId })
const chain = getChain(chainId)
if (!chain) throw new Error('chain 8453 is built in')
const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl] })
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: world.rpcUrl }] })
const routing = await createRouting({
  chains: [{ chainClient, executor: world.manifest.executor, maxAgeMs: 500, pollMs: 500 }],
  simulator,
  serviceName: 'fuzzed',
  version: '0',
  publicUrl: 'http://127.0.0.1',
  x402Support: false,
})
await routing.warmed
const store = openStore({ path: ':memory:' })
/** What a 5xx came from must be known when it comes. */
const error = (fields: object, message: string) =>
  void process.stderr.write(`${message}: ${inspect(fields, { depth: 6 })}\n`)
const log = { debug() {}, info() {}, warn() {}, error }
const contract = {
  chainId,
  address: world.manifest.quotaManager,
  token: chain.usdc,
  confirmations: 1,
  finalizedFrom: 10n ** 12n,
}
const config = { ...benchAccess, contracts: [contract] }
const deps = { store, chains: [chainClient], config, log, now: Date.now }
const { apiKey, id: keyId } = await createKey(deps, { label: 'fuzz', quotes: 1e12 })
const service = createService({
  name: 'routing',
  endpoints: [...routing.endpoints, ...accessEndpoints(deps)],
  access: createAccess(deps),
  log,
})
const inject = createInject(service.app)

const addresses = Object.values(world.manifest.tokens).map(({ address }) => address)
const pools = world.manifest.pools.map(({ address }) => address)
const amounts = ['1000', '1000000', '1000000000000000']
const endpoints = service.endpoints.filter(({ path }) => only === undefined || only === path)

const [payer, ...others] = world.manifest.accounts
if (!payer) throw new Error('the world funds accounts')
const transfer = encodeFunctionData({
  abi: erc20Abi,
  functionName: 'transfer',
  args: [contract.address, 1_000n],
})
const sender = { rpcUrl: world.rpcUrl, privateKey: payer.privateKey }
const payment = await send(sender, { to: chain.usdc.address, data: transfer })
// A payment from a wallet that has a key is that key's.
const wallets = others.map(({ privateKey }) => privateKeyToAccount(privateKey))
let registered = 0

/** A challenge as it was made for one of the wallets, signed by it. */
async function signChallenge() {
  const wallet = wallets[registered++ % wallets.length]
  if (!wallet) throw new Error('the world funds accounts')
  const { address } = wallet
  const { message, nonce } = await createChallenge(deps, { address, chainId })
  return { address, nonce, signature: await wallet.signMessage({ message }) }
}

const s = suite('routing fuzz')
s.after(async () => {
  await routing.close()
  await simulator.close()
  chainClient.close()
  store.close()
  await world.close()
})

for (const endpoint of endpoints)
  s(`${endpoint.path}: ${requestsPerEndpoint} generated requests`, async () => {
    const report = await fuzzEndpoints({
      endpoints: [endpoint],
      send: async (request) => {
        const { status, text } = await inject(request)
        return { status, text, isStream: false }
      },
      apiKey,
      requestsPerEndpoint,
      seed,
      valid: { '/auth/register': signChallenge },
      known: {
        // By name before format: what is no token is a pool.
        address: pools,
        chain_id: [chainId],
        chainId: [chainId],
        token_in: addresses,
        token_out: addresses,
        inputToken: addresses,
        outputToken: addresses,
        amount_in: amounts,
        amountIn: amounts,
        inputAmount: amounts,
        target_token: addresses,
        token: addresses,
        amount: amounts,
        max_amount: amounts,
        tx_hash: [payment.transactionHash],
        target_output: amounts,
        max_input: ['1000000000000000000000000'],
      },
      readUsed: async () => (await store.ledger.balance(keyId)).used,
    })
    reportFigures(`${endpoint.method.toUpperCase()} ${endpoint.path} under generated requests`, {
      requests: requestsPerEndpoint,
      seed,
      statuses: JSON.stringify(report.statuses),
      faults: report.faults.length,
    })
    assert.equal(report.faults.slice(0, 10), [])
  })

s.run()
