import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  numberToHex,
  stringToBytes,
} from 'viem'
import { quotaManager } from '../../contracts/artifacts.ts'
import {
  createPerson,
  type Person,
  startAccessStand,
  transferUsdc,
} from '../../fixtures/access/accessStand.ts'
import { createAttack } from '../../fixtures/access/claimAttacks.ts'
import { send, waitForReceipt } from '../../fixtures/chains/send.ts'
import { revertChain } from '../../fixtures/relay/revertChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { ChainClient } from '../chain/client.ts'
import { createKey } from './issueKeys.ts'
import type { AccessDeps, QuotaContract } from './sale/accessConfig.ts'
import { claimQuota } from './sale/claimQuota.ts'
import { recheckPayments } from './sale/recheckPayments.ts'

const s = suite('access/claimFaults')
const attack = createAttack(s)
/** What the provider between us and the chain makes of an answer; undefined: it is honest. */
let lie: ((method: string, answer: unknown) => unknown) | undefined
const wrapClient = (real: ChainClient): ChainClient => ({
  ...real,
  client: {
    ...real.client,
    request: (async (args: { method: string }) => {
      const answer = await real.client.request(args as never)
      return lie ? lie(args.method, answer) : answer
    }) as typeof real.client.request,
  },
})
const stand = await startAccessStand({
  chainIds: [8453],
  wrapClient,
  change: { keyLimit: { unitsPerSec: 1, burst: 150 } },
})
s.after(() => stand.close())
s.after.each(() => {
  lie = undefined
})
const base = stand.chain(8453)

const claim = (key: string, tx_hash: string) =>
  stand.call('/auth/quota/claim', { key, body: { chain_id: 8453, tx_hash } })
const balanceOf = async (key: string) =>
  (await stand.call('/auth/key-info', { key })).body['quota_remaining']
const pay = async (person: Person, amount = 1_000n) => {
  const { to, data } = transferUsdc(base, base.quotaManager, amount)
  return (await person.send(to, data)).transactionHash
}
const mined = (hash: Hex) => waitForReceipt({ rpcUrl: base.world.rpcUrl, hash })

attack(
  'unconfirmed',
  'answers 409 with Retry-After while a payment is pending [claims/pending]',
  async () => {
    const person = await createPerson(base)
    const { apiKey } = await stand.createKey('g')
    await base.rpc('evm_setAutomine', false)
    const { to, data } = transferUsdc(base, base.quotaManager, 1_000n)
    const hash = await person.broadcast(to, data)
    const answer = await claim(apiKey, hash)
    await base.rpc('evm_setAutomine', true)
    await base.rpc('evm_mine')
    assert.is(answer.status, 409, answer.text)
    assert.is(answer.headers.get('retry-after'), '2')
    assert.is((await claim(apiKey, hash)).status, 200)
  },
)
attack(
  'concurrency',
  'credits exactly once when two keys claim 40 times at once [claims/concurrency]',
  async () => {
    const person = await createPerson(base)
    const [a, b] = [await stand.createKey('race a'), await stand.createKey('race b')]
    const hash = await pay(person)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => claim(index % 2 === 0 ? a.apiKey : b.apiKey, hash)),
    )
    assert.is(answers.filter(({ status }) => status === 200).length, 20)
    assert.is(answers.filter(({ status }) => status === 403).length, 20)
    assert.is(Number(await balanceOf(a.apiKey)) + Number(await balanceOf(b.apiKey)), 10)
  },
)
attack(
  'reorg',
  'takes back what a reorg removed, and credits it again when it is mined again [claims/reorg]',
  async () => {
    const person = await createPerson(base)
    const { apiKey } = await stand.createKey('reorg')
    const snapshot = await base.rpc('evm_snapshot')
    const hash = await pay(person)
    assert.is((await claim(apiKey, hash)).status, 200)
    const raw = (await base.rpc('eth_getRawTransactionByHash', hash)) as Hex
    await recheckPayments(stand.deps, { chain: base.client })
    assert.is(await balanceOf(apiKey), 10)
    await revertChain(base.rpc, snapshot)
    await base.rpc('anvil_mine', '0x1')
    await recheckPayments(stand.deps, { chain: base.client })
    assert.is(await balanceOf(apiKey), 0)
    assert.is((await claim(apiKey, hash)).status, 404)
    await base.rpc('eth_sendRawTransaction', raw)
    await mined(hash)
    assert.is((await claim(apiKey, hash)).body['purchased_quotes'], 10)
    assert.is(await balanceOf(apiKey), 10)
  },
)
attack(
  'reorg',
  'credits a payment again that was mined again, whatever it waited for and whoever looked [claims/mined-again]',
  async () => {
    const { id, apiKey } = await stand.createKey('mined again')
    const person = await createPerson(base)
    const patient = withContract({ confirmations: 2 })
    const snapshot = await base.rpc('evm_snapshot')
    const hash = await pay(person)
    assert.is((await claim(apiKey, hash)).status, 200)
    const raw = (await base.rpc('eth_getRawTransactionByHash', hash)) as Hex
    await revertChain(base.rpc, snapshot)
    await base.rpc('anvil_mine', '0x1')
    lie = (method, answer) => {
      if (method === 'eth_getTransactionReceipt') throw new Error('the provider is out of reach')
      return answer
    }
    await recheckPayments(patient, { chain: patient.chains[0] ?? base.client })
    lie = undefined
    assert.is(await balanceOf(apiKey), 0)
    await base.rpc('eth_sendRawTransaction', raw)
    await mined(hash)
    await recheckPayments(patient, { chain: base.client })
    assert.is(await balanceOf(apiKey), 0)
    await base.rpc('anvil_mine', '0x1')
    await recheckPayments(patient, { chain: base.client })
    assert.is(await balanceOf(apiKey), 10)
    await recheckPayments(patient, { chain: base.client })
    assert.is((await stand.store.ledger.balance(id)).total, 10)
  },
)
attack(
  'reorg',
  'credits a payment again to whom it was credited, although its payer has come with a key since [claims/held-proof]',
  async () => {
    const person = await createPerson(base)
    const first = await stand.createKey('first come')
    const snapshot = await base.rpc('evm_snapshot')
    const hash = await pay(person)
    assert.is((await claim(first.apiKey, hash)).status, 200)
    const raw = (await base.rpc('eth_getRawTransactionByHash', hash)) as Hex
    await revertChain(base.rpc, snapshot)
    await base.rpc('anvil_mine', '0x1')
    await recheckPayments(stand.deps, { chain: base.client })
    const { apiKey } = await createKey(stand.deps, {
      label: 'payer',
      wallet: person.account.address,
      quotes: 0,
    })
    await base.rpc('eth_sendRawTransaction', raw)
    await mined(hash)
    await recheckPayments(stand.deps, { chain: base.client })
    assert.is(await balanceOf(first.apiKey), 10)
    assert.is((await claim(apiKey, hash)).body['purchased_quotes'], 10)
    assert.equal([await balanceOf(first.apiKey), await balanceOf(apiKey)], [0, 10])
  },
)
s('looks no more for a payment that was gone when the chain was final', async () => {
  const { apiKey } = await stand.createKey('gone')
  const person = await createPerson(base)
  const snapshot = await base.rpc('evm_snapshot')
  await claim(apiKey, await pay(person))
  await revertChain(base.rpc, snapshot)
  await base.rpc('anvil_mine', '0x1')
  const lost = () => stand.store.payments.listLost({ chainId: 8453, limit: 99 })
  await recheckPayments(stand.deps, { chain: base.client })
  assert.is((await lost()).length, 1)
  const now = await base.rpc('evm_snapshot')
  // Blocks of a minute.
  await base.rpc('anvil_mine', '0x100', '0x3c')
  await recheckPayments(stand.deps, { chain: base.client })
  assert.equal(await lost(), [])
  await revertChain(base.rpc, now)
})
s(
  'credits again what no node had heard of when the chain was final, and was mined within the hour [18/late-again]',
  async () => {
    const { apiKey } = await stand.createKey('late')
    const person = await createPerson(base)
    const snapshot = await base.rpc('evm_snapshot')
    const hash = await pay(person)
    await claim(apiKey, hash)
    const raw = (await base.rpc('eth_getRawTransactionByHash', hash)) as Hex
    await revertChain(base.rpc, snapshot)
    await base.rpc('anvil_mine', '0x1')
    await recheckPayments(stand.deps, { chain: base.client })
    await base.rpc('anvil_mine', '0x48')
    await recheckPayments(stand.deps, { chain: base.client })
    assert.is(await balanceOf(apiKey), 0)
    await base.rpc('eth_sendRawTransaction', raw)
    await mined(hash)
    await recheckPayments(stand.deps, { chain: base.client })
    assert.is(await balanceOf(apiKey), 10)
  },
)
/** A node without the history of blocks up to `last`, as if nothing had ever been there. */
const prune = (last: bigint) => (method: string, answer: unknown) => {
  if (/^eth_getTransaction(Receipt|ByHash)$/.test(method)) {
    const { blockNumber } = (answer ?? {}) as { blockNumber?: Hex | null }
    return blockNumber && BigInt(blockNumber) <= last ? null : answer
  }
  return answer
}

s(
  'a payment mined again that a single pruned node knows no more is looked for, and credited by a node that does [18/pruned-lost]',
  async () => {
    const { apiKey } = await stand.createKey('pruned')
    const person = await createPerson(base)
    const snapshot = await base.rpc('evm_snapshot')
    const hash = await pay(person)
    await claim(apiKey, hash)
    const raw = (await base.rpc('eth_getRawTransactionByHash', hash)) as Hex
    await revertChain(base.rpc, snapshot)
    await base.rpc('anvil_mine', '0x1')
    await recheckPayments(stand.deps, { chain: base.client })
    assert.is(await balanceOf(apiKey), 0)
    await base.rpc('eth_sendRawTransaction', raw)
    await mined(hash)
    await base.rpc('anvil_mine', '0x48')
    const head = BigInt((await base.rpc('eth_blockNumber')) as Hex)
    lie = prune(head - 8n)
    for (let pass = 0; pass < 3; pass += 1)
      await recheckPayments(stand.deps, { chain: stand.deps.chains[0] ?? base.client })
    assert.is((await stand.store.payments.listLost({ chainId: 8453, limit: 99 })).length, 1)
    lie = undefined
    await recheckPayments(stand.deps, { chain: base.client })
    assert.is(await balanceOf(apiKey), 10)
  },
)
s(
  'a payment whose block a pruned node has let go of is kept, and the others become final [18/pruned-open]',
  async () => {
    const { apiKey } = await stand.createKey('pruned block')
    const person = await createPerson(base)
    const hashes = [await pay(person), await pay(person)]
    for (const hash of hashes) assert.is((await claim(apiKey, hash)).status, 200)
    const [first] = await Promise.all(
      hashes.map((hash) => base.rpc('eth_getTransactionByHash', hash)),
    )
    const { blockHash } = first as { blockHash: Hex }
    await base.rpc('anvil_mine', '0x48')
    lie = (method, answer) => {
      const { hash } = (answer ?? {}) as { hash?: Hex }
      return method === 'eth_getBlockByNumber' && hash === blockHash ? null : answer
    }
    const isOpen = async () => {
      const every = { chainId: 8453, maxBlock: 10n ** 12n, limit: 99 }
      const open = (await stand.store.payments.listOpen(every)).map(({ txHash }) => txHash)
      return hashes.map((hash) => open.includes(hash))
    }
    await recheckPayments(stand.deps, { chain: stand.deps.chains[0] ?? base.client })
    assert.equal([await isOpen(), await balanceOf(apiKey)], [[true, false], 20])
    lie = undefined
    await recheckPayments(stand.deps, { chain: base.client })
    assert.equal([await isOpen(), await balanceOf(apiKey)], [[false, false], 20])
  },
)
s('marks a payment final and looks at it no more', async () => {
  const { apiKey } = await stand.createKey('final')
  const hash = await pay(await createPerson(base))
  await claim(apiKey, hash)
  await base.rpc('anvil_mine', '0x48')
  await recheckPayments(stand.deps, { chain: base.client })
  const open = await stand.store.payments.listOpen({
    chainId: 8453,
    maxBlock: 10n ** 12n,
    limit: 99,
  })
  assert.equal(open, [])
})
attack(
  'not final',
  'waits for as many confirmations as configured, and for a final block where much is paid [claims/confirmations]',
  async () => {
    const { id } = await stand.createKey('patient')
    const hash = await pay(await createPerson(base), 50_000n)
    const caller = { keyId: id, scopes: [] }
    const ask = (deps: typeof stand.deps) =>
      claimQuota(deps, { caller, chainId: 8453, txHash: hash })
    const three = withContract({ confirmations: 3 })
    assert.equal(await ask(three), { status: 'unconfirmed', confirmations: 1, needed: 3 })
    await base.rpc('anvil_mine', '0x2')
    const large = withContract({ finalizedFrom: 50_000n })
    assert.equal(await ask(large), { status: 'not_final' })
    assert.is((await ask(three)).status, 'claimed')
    await base.rpc('anvil_mine', '0x48')
    assert.is((await ask(large)).status, 'claimed')
  },
)
attack(
  'overflow',
  'refuses a payment beyond what a balance can hold [claims/overflow]',
  async () => {
    const { id } = await stand.createKey('whale')
    const hash = await pay(await createPerson(base), 1_000n)
    const config = { ...stand.deps.config, amountPerQuote: 1n }
    lie = (method, answer) => (method === 'eth_getTransactionReceipt' ? inflate(answer) : answer)
    const caller = { keyId: id, scopes: [] }
    const deps = { ...stand.deps, config }
    const claimed = await claimQuota(deps, { caller, chainId: 8453, txHash: hash })
    assert.equal(claimed, { status: 'too_large' })
  },
)
attack(
  'lying provider',
  'credits nothing on the word of a provider that lies by omission [claims/lying-provider]',
  async () => {
    const { apiKey } = await stand.createKey('liar')
    const hash = await pay(await createPerson(base))
    lie = (method, answer) => (method === 'eth_getTransactionReceipt' ? null : answer)
    assert.is((await claim(apiKey, hash)).status, 409)
    lie = (method) => (method.startsWith('eth_getTransaction') ? null : undefined)
    assert.is((await claim(apiKey, hash)).status, 404)
    lie = (method, answer) =>
      method === 'eth_getTransactionReceipt'
        ? { ...(answer as object), blockHash: keccak256('0x01') }
        : answer
    assert.is((await claim(apiKey, hash)).status, 409)
    assert.is(await balanceOf(apiKey), 0)
  },
)
attack(
  'flood',
  'answers 429 with Retry-After to a key that claims without end [claims/flood]',
  async () => {
    const { apiKey } = await stand.createKey('without end')
    const hash = keccak256('0xf100d')
    const started = performance.now()
    const answers = await Promise.all(Array.from({ length: 60 }, () => claim(apiKey, hash)))
    const secs = (performance.now() - started) / 1_000
    const refused = answers.filter(({ status }) => status === 429)
    assert.ok(refused.length > 0 && refused.every(({ headers }) => headers.has('retry-after')))
    const asked = answers.length - refused.length
    assert.ok(asked * 5 <= 150 + secs, `${asked} in ${secs} s`)
  },
)
attack(
  'transfer tax',
  'sells nothing for a token that delivers less, and credits what arrived [claims/transfer-tax]',
  async () => {
    const taxed = base.world.manifest.zoo.find(({ name }) => name === 'TaxedTransfer')
    const holder = base.world.manifest.accounts[0]
    if (!taxed || !holder) throw new Error('the world has no taxed token')
    const amountPerQuote = 10n ** 15n
    const { token: _, ...terms } = contractOf(stand.deps)
    const manager = await deployManager(taxed.address, amountPerQuote)
    const config = {
      ...stand.deps.config,
      amountPerQuote,
      contracts: [
        {
          ...terms,
          finalizedFrom: 10n ** 24n,
          address: manager,
          token: { ...taxed, version: '1' },
        },
      ],
    }
    const own = await stand.createKey('taxed')
    const claimTaxed = (txHash: Hex) =>
      claimQuota(
        { ...stand.deps, config },
        { caller: { keyId: own.id, scopes: [] }, chainId: 8453, txHash },
      )
    const order = (to: Hex, data: Hex) =>
      send(
        { rpcUrl: base.world.rpcUrl, privateKey: holder.privateKey },
        { to, data, gas: 1_000_000n },
      )
    const encode = (functionName: 'approve' | 'transfer', amount: bigint) =>
      encodeFunctionData({ abi: erc20Abi, functionName, args: [manager, amount] })
    await order(taxed.address, encode('approve', amountPerQuote * 100n))
    const bought = await order(
      manager,
      encodeFunctionData({
        abi: quotaManager.abi,
        functionName: 'buyFor',
        args: [keccak256(stringToBytes(own.id)), 100n],
      }),
    )
    assert.equal(await claimTaxed(bought.transactionHash), { status: 'reverted' })
    const plain = await order(taxed.address, encode('transfer', amountPerQuote * 100n))
    const claimed = await claimTaxed(plain.transactionHash)
    assert.is(claimed.status === 'claimed' && claimed.quotes, 99)
  },
)
attack('provider down', 'answers 503 and names no address [claims/unreachable]', async () => {
  const { apiKey } = await stand.createKey('cut off')
  const hash = await pay(await createPerson(base))
  lie = () => {
    throw new Error('connect ECONNREFUSED http://user:key@10.0.0.1')
  }
  const down = await claim(apiKey, hash)
  assert.is(down.status, 503)
  assert.not.match(down.text, /10\.0\.0\.1|user:key/)
  assert.is(await balanceOf(apiKey), 0)
  lie = undefined
  assert.is((await claim(apiKey, hash)).status, 200)
})
attack(
  'flood',
  'asks the chain once for 40 claims of one transaction at once [claims/asked-once]',
  async () => {
    const { id } = await stand.createKey('flood')
    const hash = await pay(await createPerson(base))
    let asked = 0
    lie = (method, answer) => {
      if (method === 'eth_getTransactionReceipt') asked++
      return answer
    }
    const caller = { keyId: id, scopes: [] }
    const claims = await Promise.all(
      Array.from({ length: 40 }, () =>
        claimQuota(stand.deps, { caller, chainId: 8453, txHash: hash }),
      ),
    )
    assert.ok(claims.every(({ status }) => status === 'claimed'))
    assert.is(asked, 1)
  },
)

function withContract(change: Partial<QuotaContract>): AccessDeps {
  const contracts = stand.deps.config.contracts.map((each) => ({ ...each, ...change }))
  return { ...stand.deps, config: { ...stand.deps.config, contracts } }
}

/** The same receipt with 2^60 in every transfer. */
function inflate(answer: unknown) {
  const receipt = answer as { logs: object[] }
  const data = numberToHex(2n ** 60n, { size: 32 })
  return { ...receipt, logs: receipt.logs.map((log) => ({ ...log, data })) }
}

function contractOf({ config }: AccessDeps) {
  const [contract] = config.contracts
  if (!contract) throw new Error('no quota is sold')
  return contract
}

/** A quota contract of our own code that sells for another token. */
async function deployManager(token: Hex, amountPerQuote: bigint): Promise<Hex> {
  const { treasury, executor } = base.world.manifest
  const address = { type: 'address' } as const
  const args = encodeAbiParameters(
    [address, { type: 'uint256' }, address, address],
    [token, amountPerQuote, treasury, executor],
  )
  const person = await createPerson(base)
  const { contractAddress } = await person.create(concat([quotaManager.bytecode, args]))
  if (!contractAddress) throw new Error('the quota contract was not deployed')
  return contractAddress
}
s.run()
