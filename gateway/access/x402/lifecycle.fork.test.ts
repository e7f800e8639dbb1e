import { x402Client, x402HTTPClient } from '@x402/core/client'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm'
import {
  appendPaymentIdentifierToExtensions,
  validatePaymentIdentifier,
} from '@x402/extensions/payment-identifier'
import { Type } from 'typebox'
import { type Hex, parseTransaction } from 'viem'
import { getTransactionCount } from 'viem/actions'
import {
  createPerson,
  type Person,
  startAccessStand,
} from '../../../fixtures/access/accessStand.ts'
import { waitForReceipt } from '../../../fixtures/chains/send.ts'
import { revertChain } from '../../../fixtures/relay/revertChain.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { readL1Fee } from '../../chain/readL1Fee.ts'
import { endpoint } from '../../http/endpoint.ts'
import type { AccessDeps, SettlementLimits } from '../sale/accessConfig.ts'
import { encodeHeader } from '../sale/paymentRequired.ts'
import { recheckPayments } from '../sale/recheckPayments.ts'
import { decodePaymentHeader } from './paymentPayload.ts'
import { reconcileSettlements } from './resolveSettlement.ts'
import { settlePayment } from './settlePayment.ts'

const patient = { deadlineMs: 30_000, everyMs: 50 }
const s = suite('access/x402/lifecycle')
const hourMs = 3_600_000
let answers = 0
const quote = endpoint({
  method: 'post',
  path: '/quote',
  summary: 'Costs one quote',
  input: Type.Object({ n: Type.Optional(Type.Integer()) }),
  output: Type.Object({ answer: Type.Integer() }),
  auth: 'key',
  cost: 1,
  handle: async () => ({ answer: ++answers }),
})
let jumpMs = 0
const now = () => Date.now() + jumpMs
const stand = await startAccessStand({
  chainIds: [8453],
  isSettling: true,
  endpoints: [quote],
  now,
})
s.after(() => stand.close())
s.after.each(() => {
  jumpMs = 0
})
const base = stand.chain(8453)
const { client } = base.client

type Extensions = Record<string, unknown>
const call = (key: string, payment?: object, body: object = {}) =>
  stand.call('/quote', {
    key,
    body,
    ...(payment && { headers: { 'payment-signature': encodeHeader(payment) } }),
  })
const remaining = async (key: string) =>
  (await stand.call('/auth/key-info', { key })).body['quota_remaining']

/** What the official client signs for the offer of a 402, with what a client adds to the extensions. */
async function sign(person: Person, key: string, extend = (echoed: Extensions) => echoed) {
  const answer = await call(key)
  const required = decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '')
  const scheme = new ExactEvmScheme(person.account)
  const signer = new x402HTTPClient(new x402Client().register('eip155:8453', scheme))
  return signer.createPaymentPayload({
    ...required,
    extensions: extend(structuredClone(required.extensions ?? {})),
  })
}
const named = (id: string) => (echoed: Extensions) =>
  appendPaymentIdentifierToExtensions(echoed, id)

function changed(limits: Partial<SettlementLimits>): AccessDeps {
  const contracts = stand.deps.config.contracts.map((contract) => ({
    ...contract,
    ...(contract.settlement && {
      settlement: {
        ...contract.settlement,
        limits: { ...contract.settlement.limits, ...limits },
      },
    }),
  }))
  return { ...stand.deps, config: { ...stand.deps.config, contracts } }
}

async function prepare() {
  const { id, apiKey } = await stand.createKey('direct')
  const payment = decodePaymentHeader(encodeHeader(await sign(await createPerson(base), apiKey)))
  if ('problem' in payment) throw new Error(payment.problem)
  return { id, payment }
}

async function settle(deps: AccessDeps) {
  const { id, payment } = await prepare()
  const settling = await settlePayment(deps, { payment, keyId: id })
  return { id, payment, settling }
}

async function withoutMining(use: () => Promise<void>) {
  await base.rpc('evm_setAutomine', false)
  try {
    await use()
  } finally {
    await base.rpc('evm_setAutomine', true)
  }
}

s('answers a payment identifier of the official extension once, from the store', async () => {
  const { apiKey } = await stand.createKey('named')
  const id = 'pay_0123456789abcdef'
  const payment = await sign(await createPerson(base), apiKey, named(id))
  const declared = payment.extensions?.['payment-identifier']
  assert.ok(validatePaymentIdentifier(declared).valid)
  const first = await call(apiKey, payment)
  assert.is(first.status, 200, first.text)
  const again = await call(apiKey, payment)
  assert.is(again.text, first.text)
  assert.is(again.headers.get('idempotent-replayed'), 'true')
  assert.is(await remaining(apiKey), 999)
  assert.is((await call(apiKey, payment, { n: 2 })).status, 409)
  const scarce = await stand.createKey('of another payment')
  const other = await sign(await createPerson(base), scarce.apiKey, named(id))
  assert.is((await call(apiKey, other)).status, 409)
  assert.is(await remaining(apiKey), 999)
})
s('refuses a malformed payment identifier with 400, before it looks at the key', async () => {
  const { apiKey } = await stand.createKey('malformed')
  const payment = await sign(await createPerson(base), apiKey)
  for (const id of ['short', 'x'.repeat(129), 'with a space in its middle', 7]) {
    const extensions = { 'payment-identifier': { info: { required: false, id } } }
    for (const key of [apiKey, 'nonsense'])
      assert.is((await call(key, { ...payment, extensions })).status, 400)
  }
  assert.is(await remaining(apiKey), 0)
})
s("counts Base's L1 data fee into the ceiling and the spend of an hour", async () => {
  const probe = await settle(changed({ maxFeeWei: 1n }))
  assert.equal(probe.settling, { status: 'unavailable', reason: 'fee_ceiling' })
  const { settling } = await settle(stand.deps)
  assert.is(settling.status, 'settled')
  const [known] = await stand.store.settlements.listUnmined({
    chainId: 8453,
    signer: base.world.manifest.relayer.address,
    chainNonce: 0,
  })
  if (!known) throw new Error('nothing was settled')
  const l1FeeWei = await readL1Fee(client, { to: base.usdc, data: known.calldata })
  assert.ok(l1FeeWei > 0n)
  const dear = await settle(changed({ maxFeeWei: l1FeeWei }))
  assert.equal(dear.settling, { status: 'unavailable', reason: 'fee_ceiling' })
  const spent = await settle(changed({ maxSpendPerHourWei: l1FeeWei }))
  assert.equal(spent.settling, { status: 'unavailable', reason: 'hourly_spend' })
  const many = await settle(changed({ maxPerHour: 1 }))
  assert.equal(many.settling, { status: 'unavailable', reason: 'hourly_cap' })
  for (const { id } of [probe, dear, spent, many])
    assert.is((await stand.store.ledger.balance(id)).total, 0)
})
s('raises the price of a stuck settlement at its own nonce, and credits it once', async () => {
  const { id, payment } = await prepare()
  let hashes: Hex[] = []
  await withoutMining(async () => {
    const settling = await settlePayment(stand.deps, { payment, keyId: id, waitMs: 0 })
    assert.is(settling.status, 'pending')
    const [open] = await stand.store.settlements.listOpen(8453)
    if (!open) throw new Error('no settlement is open')
    await reconcileSettlements(stand.deps, { chain: base.client })
    assert.is((await stand.store.settlements.listOpen(8453))[0]?.txHash, open.txHash)
    jumpMs = 61_000
    await reconcileSettlements(stand.deps, { chain: base.client })
    const [raised] = await stand.store.settlements.listOpen(8453)
    if (!raised) throw new Error('no settlement is open')
    const [before, after] = [open, raised].map(({ rawTx }) => parseTransaction(rawTx))
    assert.is(after?.nonce, before?.nonce)
    assert.equal([after?.to, after?.data], [before?.to, before?.data])
    for (const fee of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const)
      assert.ok((after?.[fee] ?? 0n) * 10n >= (before?.[fee] ?? 0n) * 11n)
    hashes = [open.txHash, raised.txHash]
  })
  await base.rpc('evm_mine')
  await waitForReceipt({ rpcUrl: base.world.rpcUrl, hash: hashes[1] ?? '0x' })
  assert.is(await base.rpc('eth_getTransactionReceipt', hashes[0] ?? '0x'), null)
  await waitFor(
    'it has come about',
    async () => {
      await reconcileSettlements(stand.deps, { chain: base.client })
      return (await stand.store.settlements.listOpen(8453)).length === 0
    },
    patient,
  )
  assert.is((await stand.store.ledger.balance(id)).total, 1_000)
})
s('sends what was signed also where nothing is settled any more [18/settle-off]', async () => {
  const { id, payment } = await prepare()
  await withoutMining(async () => {
    await settlePayment(stand.deps, { payment, keyId: id, waitMs: 0 })
    await base.rpc('anvil_dropAllTransactions')
  })
  const contracts = stand.deps.config.contracts.map(({ settlement: _, ...contract }) => contract)
  const off = { ...stand.deps, config: { ...stand.deps.config, contracts } }
  await waitFor(
    'it has come about',
    async () => {
      await reconcileSettlements(off, { chain: base.client })
      return (await stand.store.ledger.balance(id)).total === 1_000
    },
    patient,
  )
})
s('raises the others where one price cannot be read, and sends that one as it was', async () => {
  const people = [await prepare(), await prepare()]
  const warnings: unknown[][] = []
  await withoutMining(async () => {
    for (const { id, payment } of people)
      await settlePayment(stand.deps, { payment, keyId: id, waitMs: 0 })
    const open = await stand.store.settlements.listOpen(8453)
    const [first, second] = open.toSorted((a, b) => a.signerNonce - b.signerNonce)
    if (!first || !second || open.length !== 2) throw new Error('not both are open')
    jumpMs = 61_000
    const request = (async (call: { method: string; params?: unknown }) => {
      // The L1 data fee of the first one's payload.
      if (JSON.stringify(call.params ?? []).includes(first.calldata.slice(2)))
        throw new Error('the node cannot')
      return client.request(call as never)
    }) as typeof client.request
    const log = { ...stand.deps.log, warn: (...line: unknown[]) => void warnings.push(line) }
    const chain = { ...base.client, client: { ...client, request } }
    await reconcileSettlements({ ...stand.deps, log }, { chain })
    const after = await stand.store.settlements.listOpen(8453)
    const hashOf = ({ id }: typeof first) => after.find((each) => each.id === id)?.txHash
    assert.is(hashOf(first), first.txHash)
    assert.is.not(hashOf(second), second.txHash)
    const told = warnings.filter(([, text]) => text === 'a settlement was not repriced')
    const said = { chainId: 8453, txHash: first.txHash, reason: 'Error' }
    assert.equal(told, [[said, 'a settlement was not repriced']])
  })
  await base.rpc('evm_mine')
  await waitFor(
    'it has come about',
    async () => {
      await reconcileSettlements(stand.deps, { chain: base.client })
      return (await stand.store.settlements.listOpen(8453)).length === 0
    },
    patient,
  )
  for (const { id } of people) assert.is((await stand.store.ledger.balance(id)).total, 1_000)
})
s(
  'raises what a stranger has settled meanwhile once a minute, not in every pass [18/raised-settled]',
  async () => {
    const { payment, id } = await prepare()
    const stranger = await createPerson(base)
    await withoutMining(async () => {
      await settlePayment(stand.deps, { payment, keyId: id, waitMs: 0 })
      const [open] = await stand.store.settlements.listOpen(8453)
      if (!open) throw new Error('no settlement is open')
      await base.rpc('anvil_dropTransaction', open.txHash)
      const bytes = { from: stranger.account.address, to: open.asset, data: open.calldata }
      await base.rpc('anvil_impersonateAccount', stranger.account.address)
      await base.rpc('eth_sendTransaction', { ...bytes, gas: '0x30d40' })
      await base.rpc('evm_mine')
      const own = { chainId: 8453, signer: open.signer, chainNonce: open.signerNonce }
      const pass = async () => {
        await reconcileSettlements(stand.deps, { chain: base.client })
        const [row] = await stand.store.settlements.listUnmined(own)
        return { state: row?.state, rawTx: row?.rawTx }
      }
      assert.equal(await pass(), { state: 'settled', rawTx: open.rawTx })
      jumpMs = 61_000
      const raised = await pass()
      assert.is.not(raised.rawTx, open.rawTx)
      jumpMs += 5_000
      assert.equal(await pass(), raised)
    })
    await base.rpc('evm_mine')
  },
)
s('never raises a price above the fee ceiling or the budget of the hour', async () => {
  const { id, payment } = await prepare()
  await withoutMining(async () => {
    await settlePayment(stand.deps, { payment, keyId: id, waitMs: 0 })
    const [open] = await stand.store.settlements.listOpen(8453)
    if (!open) throw new Error('no settlement is open')
    jumpMs = 61_000
    const worstWei = open.gasLimit * open.maxFeePerGasWei
    for (const cap of [{ maxFeeWei: worstWei }, { maxSpendPerHourWei: worstWei }]) {
      await reconcileSettlements(changed(cap), { chain: base.client })
      assert.is((await stand.store.settlements.listOpen(8453))[0]?.txHash, open.txHash)
    }
  })
  await base.rpc('evm_mine')
  await waitFor(
    'it has come about',
    async () => {
      await reconcileSettlements(stand.deps, { chain: base.client })
      return (await stand.store.settlements.listOpen(8453)).length === 0
    },
    patient,
  )
})
s(
  'settles on after its chain was set back under a kept database, with no nonce left out',
  async () => {
    const { relayer } = base.world.manifest
    const snapshot = await base.rpc('evm_snapshot')
    const before = await settle(stand.deps)
    await settle(stand.deps)
    const chainNonce = () =>
      getTransactionCount(client, { address: relayer.address, blockTag: 'latest' })
    const reached = await chainNonce()
    await revertChain(base.rpc, snapshot)
    assert.is(await chainNonce(), reached - 2)
    const { id, payment } = await prepare()
    const settling = await settlePayment(stand.deps, { payment, keyId: id, waitMs: 0 })
    // Signed behind nonces that the chain has forgotten: it waits until their bytes were sent again.
    assert.is(settling.status, 'pending')
    const total = async (keyId: string) => (await stand.store.ledger.balance(keyId)).total
    // The reset took the first payer's money too: what the chain no longer holds is taken back.
    await waitFor(
      'it has come about',
      async () => {
        await reconcileSettlements(stand.deps, { chain: base.client })
        await recheckPayments(stand.deps, { chain: base.client })
        return (await total(id)) === 1_000 && (await total(before.id)) === 0
      },
      patient,
    )
    assert.is(await chainNonce(), reached + 1)
    assert.equal(await stand.store.ledger.audit(), [])
  },
)
s('credits a settled payment again that a reorg removed and we brought back', async () => {
  const { id, payment } = await prepare()
  const snapshot = await base.rpc('evm_snapshot')
  const total = async () => (await stand.store.ledger.balance(id)).total
  assert.is((await settlePayment(stand.deps, { payment, keyId: id })).status, 'settled')
  await revertChain(base.rpc, snapshot)
  await base.rpc('anvil_mine', '0x1')
  await recheckPayments(stand.deps, { chain: base.client })
  assert.is(await total(), 0)
  const again = await settlePayment(stand.deps, { payment, keyId: id, waitMs: 0 })
  assert.is(again.status, 'pending')
  await waitFor(
    'it has come about',
    async () => {
      await reconcileSettlements(stand.deps, { chain: base.client })
      await recheckPayments(stand.deps, { chain: base.client })
      return (await total()) === 1_000
    },
    patient,
  )
  assert.is((await settlePayment(stand.deps, { payment, keyId: id })).status, 'settled')
  assert.equal(await stand.store.ledger.audit(), [])
})
s('changes no balance when the clock jumps an hour either way', async () => {
  const { id, apiKey } = await stand.createKey('jumping')
  const person = await createPerson(base)
  const payment = await sign(person, apiKey, named('pay_clock_jumps_1'))
  const first = await call(apiKey, payment)
  assert.is(first.status, 200, first.text)
  const balance = await stand.store.ledger.balance(id)
  for (const jump of [-hourMs, hourMs, -2 * hourMs, 2 * hourMs]) {
    jumpMs = jump
    const again = await call(apiKey, payment)
    assert.is(again.text, first.text)
    const settled = await stand.call('/x402/settle', {
      key: apiKey,
      body: { x402Version: 2, paymentPayload: payment },
    })
    assert.is(settled.body['success'], true, settled.text)
    await reconcileSettlements(stand.deps, { chain: base.client })
    await recheckPayments(stand.deps, { chain: base.client })
    assert.equal(await stand.store.ledger.balance(id), balance)
  }
  assert.is((await stand.store.settlements.listOpen(8453)).length, 0)
  // A payment that has expired by our clock is refused, not taken, and good again when the clock is.
  const late = await stand.createKey('late')
  const unsent = await sign(await createPerson(base), late.apiKey)
  jumpMs = hourMs
  assert.is((await call(late.apiKey, unsent)).status, 402)
  jumpMs = 0
  assert.is(await remaining(late.apiKey), 0)
  assert.is((await call(late.apiKey, unsent)).status, 200)
  assert.is(await remaining(late.apiKey), 999)
  assert.equal(await stand.store.ledger.audit(), [])
})

s.run()
