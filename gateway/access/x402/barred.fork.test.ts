import { x402Client, x402HTTPClient } from '@x402/core/client'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm'
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import {
  createPerson,
  type Person,
  startAccessStand,
  transferUsdc,
} from '../../../fixtures/access/accessStand.ts'
import { workEndpoint } from '../../../fixtures/access/workEndpoint.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { encodeHeader } from '../sale/paymentRequired.ts'
import { encodeTransfer, transferTypes } from './eip3009.ts'
import { judgeParties } from './judgeParties.ts'
import { decodePaymentHeader, type PaymentPayload } from './paymentPayload.ts'
import { reconcileSettlements } from './resolveSettlement.ts'
import { settlePayment } from './settlePayment.ts'

/** Who makes settlements fail, and what is offered while none could be made. */
const s = suite('access/x402/barred')
const stand = await startAccessStand({
  chainIds: [8453],
  isSettling: true,
  endpoints: [workEndpoint],
})
s.after(() => stand.close())
const base = stand.chain(8453)
const relayer = base.world.manifest.relayer.address

async function readOffer(key: string) {
  const answer = await stand.call('/work', { key, body: {} })
  return decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '')
}
const schemeOf = async (key: string) => (await readOffer(key)).accepts[0]?.scheme
/** Facts of the chain are shared for two seconds. */
const untilRead = () => new Promise((resolve) => setTimeout(resolve, 2_100))

async function sign(person: Person) {
  const { apiKey } = await stand.createKey('to see the offer')
  const scheme = new ExactEvmScheme(person.account)
  const signer = new x402HTTPClient(new x402Client().register('eip155:8453', scheme))
  const payload = await signer.createPaymentPayload(await readOffer(apiKey))
  const payment = decodePaymentHeader(encodeHeader(payload))
  if ('problem' in payment) throw new Error(payment.problem)
  return payment
}

/** Its money is gone when the settlement is mined. */
async function failWith(person: Person, keyId: string) {
  const payment = await sign(person)
  const { data } = transferUsdc(base, base.world.manifest.treasury, 10n ** 9n)
  return settleBehind(person, { payment, keyId, data })
}

/** Settles a payment that is mined behind another call of its payer to the token. */
async function settleBehind(
  { account }: Person,
  {
    payment,
    keyId,
    data,
  }: { readonly payment: PaymentPayload; readonly keyId: string; readonly data: Hex },
) {
  await base.rpc('evm_setAutomine', false)
  await base.rpc('anvil_impersonateAccount', account.address)
  const gas = { gas: '0x186a0', maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x3b9aca00' }
  const settling = await settlePayment(stand.deps, { payment, keyId, waitMs: 0 })
  await base.rpc('eth_sendTransaction', { from: account.address, to: base.usdc, data, ...gas })
  await base.rpc('evm_mine')
  await base.rpc('evm_setAutomine', true)
  await reconcileSettlements(stand.deps, { chain: base.client })
  return settling
}

s('a payer is barred for a growing while, its code too, and a key for a day [18/barred]', () => {
  const clean = { open: 0, failed: 0, lastFailedMs: undefined, settled: 0 }
  const book = { key: clean, payer: clean, code: clean }
  const newcomers = { isOne: true }
  const minutes = (count: number) => ({ nowMs: count * 60_000, newcomers })
  assert.is(judgeParties(book, minutes(0)), undefined)
  for (const who of ['payer', 'code'] as const)
    for (const [failed, endsAfter] of [
      [1, 10],
      [2, 20],
      [3, 40],
      [20, 1_440],
    ] as const) {
      const bad = { ...book, [who]: { ...book[who], failed, lastFailedMs: 0 } }
      assert.is(judgeParties(bad, minutes(endsAfter - 1)), 'barred')
      assert.is(judgeParties(bad, minutes(endsAfter)), undefined)
    }
  const key = { ...clean, failed: 3, lastFailedMs: 0 }
  assert.is(judgeParties({ ...book, key }, minutes(1_000)), 'barred')
  const trusted = { ...clean, open: 10, settled: 100 }
  assert.is(judgeParties({ ...book, key: trusted }, minutes(0)), 'too_many_open')
})

s('a payer that failed is barred, and others are not', async () => {
  const { id, apiKey } = await stand.createKey('hostile')
  const person = await createPerson(base)
  assert.is((await failWith(person, id)).status, 'pending')
  const [row] = await stand.store.settlements.listUnmined({
    chainId: 8453,
    signer: relayer,
    chainNonce: 0,
  })
  assert.is(row?.state, 'failed')
  const { to, data } = transferUsdc(base, person.account.address, 10n ** 8n)
  const friend = await createPerson(base)
  await friend.send(to, data)
  const retry = async () => {
    const payment = await sign(person)
    const settling = await settlePayment(stand.deps, { payment, keyId: id })
    return 'reason' in settling ? settling.reason : settling.status
  }
  assert.is(await retry(), 'invalid_exact_evm_payer_barred')
  const honest = await stand.createKey('honest')
  const settling = await settlePayment(stand.deps, {
    payment: await sign(friend),
    keyId: honest.id,
  })
  assert.is(settling.status, 'settled')
  assert.is(await schemeOf(apiKey), 'exact', 'the key itself has two failures left')
})

s(
  'a key with three failures of a day is offered nothing that it must sign [18/not-offered]',
  async () => {
    const { id, apiKey } = await stand.createKey('many wallets')
    for (let count = 0; count < 3; count += 1) {
      assert.is(await schemeOf(apiKey), 'exact')
      await failWith(await createPerson(base), id)
    }
    assert.is(await schemeOf(apiKey), 'prepaid-claim')
    assert.is(await schemeOf((await stand.createKey('another')).apiKey), 'exact')
  },
)

const cancelAbi = parseAbi([
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
])

/** Its wallet signs the same nonce once more, for another transfer, and is first with that. */
async function spendTwice(
  person: Person,
  { keyId, ...second }: { readonly keyId: string; readonly to: Address; readonly value: bigint },
) {
  const payment = await sign(person)
  const { from, nonce, validAfter, validBefore } = payment.payload.authorization
  const times = { validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) }
  const message = { from: from as Address, nonce: nonce as Hex, ...times, ...second }
  const { name, version } = base.client.chain.usdc
  const signature = await person.account.signTypedData({
    domain: { name, version, chainId: 8453, verifyingContract: base.usdc },
    types: transferTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  return settleBehind(person, { payment, keyId, data: encodeTransfer({ ...message, signature }) })
}

for (const [name, second] of [
  ['somebody else', { to: base.world.manifest.treasury, value: 1n }],
  ['less than a pack', { to: base.quotaManager, value: 100n }],
] as const)
  s(
    `a payer that uses its authorization for ${name} has failed, and is barred [18/used-elsewhere]`,
    async () => {
      const { id: keyId } = await stand.createKey('double dealer')
      const person = await createPerson(base)
      assert.is((await spendTwice(person, { keyId, ...second })).status, 'pending')
      assert.equal(await stand.store.settlements.listOpen(8453), [])
      assert.is((await stand.store.ledger.balance(keyId)).total, 0)
      const again = await settlePayment(stand.deps, { payment: await sign(person), keyId })
      assert.is('reason' in again && again.reason, 'invalid_exact_evm_payer_barred')
    },
  )

s('a payer that cancels its authorization has failed, and is barred [18/canceled]', async () => {
  const { id: keyId } = await stand.createKey('canceller')
  const person = await createPerson(base)
  const payment = await sign(person)
  const { from, nonce } = payment.payload.authorization
  const { name, version } = base.client.chain.usdc
  const signature = await person.account.signTypedData({
    domain: { name, version, chainId: 8453, verifyingContract: base.usdc },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: from as Address, nonce: nonce as Hex },
  })
  const data = encodeFunctionData({
    abi: cancelAbi,
    args: [from as Address, nonce as Hex, signature],
  })
  assert.is((await settleBehind(person, { payment, keyId, data })).status, 'pending')
  assert.equal(await stand.store.settlements.listOpen(8453), [])
  const again = await settlePayment(stand.deps, { payment: await sign(person), keyId })
  assert.is('reason' in again && again.reason, 'invalid_exact_evm_payer_barred')
})

s('what came with one key buys nothing for another [18/one-authorization]', async () => {
  const [buyer, thief] = await Promise.all(['buyer', 'thief'].map((name) => stand.createKey(name)))
  if (!buyer || !thief) throw new Error('there are no keys')
  const payment = await sign(await createPerson(base))
  assert.is((await settlePayment(stand.deps, { payment, keyId: buyer.id })).status, 'settled')
  const stolen = await settlePayment(stand.deps, { payment, keyId: thief.id })
  assert.is('reason' in stolen && stolen.reason, 'invalid_exact_evm_nonce_already_used')
  assert.is((await stand.store.ledger.balance(thief.id)).total, 0)
})

s('nothing is offered or signed while the signer cannot pay for it [18/unfunded]', async () => {
  const { id, apiKey } = await stand.createKey('early')
  const payment = await sign(await createPerson(base))
  const balance = await base.rpc('eth_getBalance', relayer, 'latest')
  await base.rpc('anvil_setBalance', relayer, numberToHex(10n ** 9n))
  const before = await stand.store.nonces.highestNonce({ chainId: 8453, signer: relayer })
  const settling = await settlePayment(stand.deps, { payment, keyId: id })
  assert.equal(settling, { status: 'unavailable', reason: 'unfunded' })
  assert.is(await stand.store.nonces.highestNonce({ chainId: 8453, signer: relayer }), before)
  await untilRead()
  assert.is(await schemeOf(apiKey), 'prepaid-claim')
  const { body } = await stand.call('/.well-known/x402')
  assert.is((body['accepts'] as { scheme: string }[])[0]?.scheme, 'prepaid-claim')
  await base.rpc('anvil_setBalance', relayer, balance)
  await untilRead()
  assert.is(await schemeOf(apiKey), 'exact')
})

s('a settlement that costs more than its pack earns is refused [18/unprofitable]', async () => {
  const { id } = await stand.createKey('dear')
  const payment = await sign(await createPerson(base))
  const contracts = stand.deps.config.contracts.map((contract) => ({
    ...contract,
    ...(contract.settlement && {
      settlement: {
        ...contract.settlement,
        limits: { ...contract.settlement.limits, usdPerNative: 1_000_000_000 },
      },
    }),
  }))
  const deps = { ...stand.deps, config: { ...stand.deps.config, contracts } }
  const settling = await settlePayment(deps, { payment, keyId: id })
  assert.equal(settling, { status: 'unavailable', reason: 'unprofitable' })
})

s(
  'an expired authorization is answered as failed at once, and its nonce is used [18/expired]',
  async () => {
    const { id } = await stand.createKey('expired')
    const payment = await sign(await createPerson(base))
    await base.rpc('evm_setAutomine', false)
    await settlePayment(stand.deps, { payment, keyId: id, waitMs: 0 })
    await base.rpc('anvil_dropAllTransactions')
    await base.rpc(
      'evm_setNextBlockTimestamp',
      Number(payment.payload.authorization.validBefore) + 1,
    )
    await base.rpc('evm_mine')
    const settling = await settlePayment(stand.deps, { payment, keyId: id, waitMs: 0 })
    assert.is('reason' in settling && settling.reason, 'invalid_exact_evm_transaction_failed')
    await base.rpc('evm_setAutomine', true)
    await reconcileSettlements(stand.deps, { chain: base.client })
    await base.rpc('evm_mine')
    const mined = Number(await base.rpc('eth_getTransactionCount', relayer, 'latest'))
    const highest = await stand.store.nonces.highestNonce({ chainId: 8453, signer: relayer })
    assert.is(mined, highest + 1)
    assert.is((await stand.store.ledger.balance(id)).total, 0)
  },
)
s.run()
