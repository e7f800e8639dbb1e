import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Address, type Hex, numberToHex, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { readContract } from 'viem/actions'
import { userProxyFactoryV6 } from '../../contracts/artifacts.ts'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { send } from '../../fixtures/chains/send.ts'
import { lyingToken, prepareOwners, startRelayStand } from '../../fixtures/relay/relayStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { noRules } from '../relay/admission.ts'
import { encodeDeploy } from '../relay/signer.ts'
import { obtainProxy, type SponsorOrder } from './obtainProxy.ts'

const client = suite('obtainProxy')
const chain = await startWorldChain({ chainId: 8453 })
const { chainId, rpcUrl, manifest } = chain
const rpc = createRpc(rpcUrl)
const stand = await startRelayStand({ chain })

async function newOwner() {
  const privateKey = generatePrivateKey()
  const account = privateKeyToAccount(privateKey)
  const { address: owner } = account
  await prepareOwners(chain, [owner])
  await rpc('anvil_setBalance', owner, numberToHex(10n ** 17n))
  let deployed = 0
  const wallet = {
    async readProxy(): Promise<Address | undefined> {
      const proxy = await readContract(stand.client.client, {
        address: manifest.proxyFactory,
        abi: userProxyFactoryV6.abi,
        functionName: 'proxyOf',
        args: [owner],
      })
      return proxy === zeroAddress ? undefined : proxy
    },
    async deploy(): Promise<Hex> {
      deployed += 1
      const call = { to: manifest.proxyFactory, data: encodeDeploy(owner) }
      return (await send({ rpcUrl, privateKey }, call)).transactionHash
    },
  }
  return { owner, account, wallet, deployedByWallet: () => deployed }
}
const request = (owner: Address) => ({ chainId, owner, tokenIn: lyingToken, amountIn: 1n })

client('takes the sponsored proxy, and then the existing one [client/sponsored]', async () => {
  const { owner, wallet, deployedByWallet } = await newOwner()
  const deps = { relayUrl: stand.url, wallet }
  const first = await obtainProxy(deps, request(owner))
  assert.equal([first.status, first.status === 'ready' && first.by], ['ready', 'relay'])
  const second = await obtainProxy(deps, request(owner))
  assert.is(second.status === 'ready' && second.by, 'existing')
  assert.is(second.status === 'ready' && second.proxy, await wallet.readProxy())
  assert.is(deployedByWallet(), 0)
})

client(
  'deploys from the wallet when the relay refuses, and says why [client/refused]',
  async () => {
    const { owner, wallet } = await newOwner()
    const usdc = manifest.tokens['USDC']?.address as Address
    const result = await obtainProxy(
      { relayUrl: stand.url, wallet },
      { ...request(owner), tokenIn: usdc },
    )
    assert.equal(
      [result.status, result.status === 'ready' && result.by, result.refusal],
      ['ready', 'wallet', 'owner balance does not cover this amount'],
    )
  },
)

client('skips a relay that cannot serve the chain [client/skips]', async () => {
  const paused = await startRelayStand({ chain })
  await paused.relay.pause({ chainId, reason: 'test' })
  const { owner, wallet } = await newOwner()
  const result = await obtainProxy({ relayUrl: paused.url, wallet }, request(owner))
  assert.equal([result.status, result.refusal], ['ready', 'relay_paused'])
  assert.not.ok(paused.events.some(({ kind }) => kind === 'answered'))
  await paused.close()
})

client(
  'signs where the relay asks for it, and what it is asked to sign [client/signed]',
  async () => {
    for (const ownerSignature of ['preferred', 'required'] as const) {
      const strict = await startRelayStand({ chain, rules: { ...noRules, ownerSignature } })
      const { owner, account, wallet } = await newOwner()
      const unsigned = await obtainProxy({ relayUrl: strict.url, wallet }, request(owner))
      const by = ownerSignature === 'required' ? 'wallet' : 'relay'
      assert.equal([unsigned.status, unsigned.status === 'ready' && unsigned.by], ['ready', by])
      const other = await newOwner()
      let signed: SponsorOrder | undefined
      const signTypedData = (order: SponsorOrder) => {
        signed = order
        return other.account.signTypedData(order)
      }
      const deps = { relayUrl: strict.url, wallet: { ...other.wallet, signTypedData } }
      const result = await obtainProxy(deps, request(other.owner))
      assert.equal([result.status, result.status === 'ready' && result.by], ['ready', 'relay'])
      const intent = await (await fetch(`${strict.url}/api/intents?chainId=${chainId}`)).json()
      const told = (intent as { ownerSignature: { rule: string; typedData: object } })
        .ownerSignature
      const { message: _, ...order } = signed ?? { message: undefined }
      assert.equal([told.rule, told.typedData], [ownerSignature, order])
      assert.not.ok(account.address === other.owner)
      await strict.close()
    }
  },
)

client('signs nothing for a relay that does not ask, or that asks for something else', async () => {
  const { owner, wallet, account } = await newOwner()
  const asked: string[] = []
  const signTypedData = async (order: SponsorOrder) => {
    asked.push(order.primaryType)
    return account.signTypedData(order)
  }
  await obtainProxy({ relayUrl: stand.url, wallet: { ...wallet, signTypedData } }, request(owner))
  assert.equal(asked, [])
  const evil = {
    servable: true,
    factory: manifest.proxyFactory,
    ownerSignature: { typedData: { primaryType: 'Permit' } },
  }
  const server = createServer((_, response) => void response.end(JSON.stringify(evil)))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const other = await newOwner()
  const deps = { relayUrl: `http://127.0.0.1:${port}`, wallet: { ...other.wallet, signTypedData } }
  await obtainProxy(deps, request(other.owner))
  assert.equal(asked, ['SponsoredDeploy'])
  server.close()
})

client('deploys from the wallet when there is no relay at all [client/no-relay]', async () => {
  const { owner, wallet } = await newOwner()
  const result = await obtainProxy({ relayUrl: 'http://127.0.0.1:9', wallet }, request(owner))
  assert.equal([result.status, result.refusal], ['ready', 'the relay could not be reached'])
})

/** A relay that says it can serve, and answers requests as told; undefined: breaks the connection. */
async function startBadRelay(
  answer: { readonly status: number; readonly body: string } | undefined,
) {
  const server = createServer((request, response) => {
    if (request.method === 'GET') response.end('{"servable":true}')
    else if (answer) response.writeHead(answer.status).end(answer.body)
    else response.destroy()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { relayUrl: `http://127.0.0.1:${port}`, close: () => void server.close() }
}
const refusing = (status: number, error: string) => ({ status, body: JSON.stringify({ error }) })
const unreadable = 'the relay could not be reached'
const badAnswers = [
  ['400', refusing(400, 'owner has no native balance'), 'owner has no native balance'],
  ['429', refusing(429, 'limit is exhausted'), 'limit is exhausted'],
  ['500', refusing(500, 'oh'), 'oh'],
  ['502', refusing(502, 'chain unreachable'), 'chain unreachable'],
  ['503', refusing(503, 'not funded'), 'not funded'],
  ['an error page of a proxy', { status: 502, body: '<html>Bad Gateway</html>' }, unreadable],
  ['a 200 that is no JSON', { status: 200, body: 'OK' }, unreadable],
  ['a 200 without a hash', { status: 200, body: '{"proxy":"0x01"}' }, unreadable],
  ['a 200 with a hash that is none', { status: 200, body: '{"txHash":"0x12"}' }, unreadable],
  ['a broken connection', undefined, unreadable],
] as const
for (const [what, answer, refusal] of badAnswers)
  client(`deploys from the wallet after ${what} [client/faults]`, async () => {
    const { relayUrl, close } = await startBadRelay(answer)
    const { owner, wallet, deployedByWallet } = await newOwner()
    const result = await obtainProxy({ relayUrl, wallet }, request(owner))
    assert.equal([result.status, result.refusal], ['ready', refusal])
    assert.is(deployedByWallet(), 1)
    close()
  })

client('lets the wallet pay for no proxy that stands already [21/existing-proxy]', async () => {
  const { owner, wallet, deployedByWallet } = await newOwner()
  await wallet.deploy()
  const unreachable = { relayUrl: 'http://127.0.0.1:9', wallet }
  const { relayUrl, close } = await startBadRelay(refusing(503, 'not funded'))
  for (const deps of [unreachable, { relayUrl, wallet }]) {
    const result = await obtainProxy(deps, request(owner))
    assert.is(result.status === 'ready' && result.by, 'existing')
    assert.is(result.status === 'ready' && result.proxy, await wallet.readProxy())
  }
  assert.is(deployedByWallet(), 1)
  close()
})

client('does not go on where a relay lies that the proxy exists', async () => {
  const lie = JSON.stringify({ proxy: `0x${'11'.repeat(20)}`, existing: true })
  const { relayUrl, close } = await startBadRelay({ status: 200, body: lie })
  const { owner, wallet } = await newOwner()
  const result = await obtainProxy({ relayUrl, wallet }, request(owner))
  assert.is(result.status === 'ready' && result.by, 'wallet')
  assert.is(result.status === 'ready' && result.proxy, await wallet.readProxy())
  close()
})

client(
  'goes back to the prompt when a sponsored deployment does not confirm [client/unconfirmed]',
  async () => {
    const { owner, wallet, deployedByWallet } = await newOwner()
    await rpc('evm_setAutomine', false)
    const deps = { relayUrl: stand.url, wallet }
    const result = await obtainProxy(deps, { ...request(owner), confirmWithinMs: 300 })
    await rpc('evm_setAutomine', true)
    assert.is(result.status, 'unconfirmed')
    assert.is(deployedByWallet(), 0)
  },
)

client.after(async () => {
  await stand.close()
  await chain.close()
})
client.run()
