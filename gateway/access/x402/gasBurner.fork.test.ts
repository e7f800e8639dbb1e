import { x402Client, x402HTTPClient } from '@x402/core/client'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm'
import type { Address, Hex } from 'viem'
import { getTransactionReceipt } from 'viem/actions'
import {
  createPerson,
  type Person,
  startAccessStand,
  transferUsdc,
} from '../../../fixtures/access/accessStand.ts'
import { workEndpoint } from '../../../fixtures/access/workEndpoint.ts'
import { compileSource } from '../../../fixtures/chains/compileSource.ts'
import { deployArtifact } from '../../../fixtures/chains/deployArtifact.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { encodeHeader } from '../sale/paymentRequired.ts'
import { decodePaymentHeader, type PaymentPayload } from './paymentPayload.ts'
import { reconcileSettlements } from './resolveSettlement.ts'
import { settlePayment } from './settlePayment.ts'

/** Contract wallets that approve what they are asked, and burn their gas where our tip pays for it. */
const s = suite('access/x402/gasBurner')
const stand = await startAccessStand({
  chainIds: [8453],
  isSettling: true,
  endpoints: [workEndpoint],
})
s.after(() => stand.close())
const base = stand.chain(8453)
const { GasBurner } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract GasBurner {
  function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
    if (tx.gasprice > block.basefee && tx.gasprice - block.basefee == 1_000_000) while (true) {}
    return 0x1626ba7e;
  }
}`)
const patron = await createPerson(base)

async function deployBurner(): Promise<Address> {
  const wallet = await deployArtifact(base.world.rpcUrl, { artifact: GasBurner })
  const { to, data } = transferUsdc(base, wallet, 10n ** 7n)
  await patron.send(to, data)
  return wallet
}

async function readOffer(key: string) {
  const answer = await stand.call('/work', { key, body: {} })
  return decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '')
}

async function sign({ account }: Person, key: string): Promise<PaymentPayload> {
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(account))
  const payload = await new x402HTTPClient(client).createPaymentPayload(await readOffer(key))
  const payment = decodePaymentHeader(encodeHeader(payload))
  if ('problem' in payment) throw new Error(payment.problem)
  return payment
}

/** What `wallet` approves: any signature of any authorization. */
async function approve(wallet: Address, key: string): Promise<PaymentPayload> {
  const { payload, ...payment } = await sign(patron, key)
  const authorization = { ...payload.authorization, from: wallet }
  return { ...payment, payload: { authorization, signature: `0x${'11'.repeat(65)}` } }
}

async function settle(payment: PaymentPayload, keyId: string, waitMs?: number) {
  const options = waitMs === undefined ? {} : { waitMs }
  const settling = await settlePayment(stand.deps, { payment, keyId, ...options })
  return 'reason' in settling ? settling.reason : settling.status
}

s(
  'wallets that burn what a settlement is sent with fail five times at most, and honest payers are settled for [18/gas-burner]',
  async () => {
    const wallets: Address[] = []
    for (let count = 0; count < 8; count += 1) wallets.push(await deployBurner())
    const attacks = await Promise.all(
      wallets.map(async (wallet, index) => {
        const { id, apiKey } = await stand.createKey(`burner ${index}`)
        return { keyId: id, payment: await approve(wallet, apiKey) }
      }),
    )
    const honest = await createPerson(base)
    const { id: honestId, apiKey: honestKey } = await stand.createKey('honest')
    const honestPayment = await sign(honest, honestKey)

    await base.rpc('evm_setAutomine', false)
    const told: string[] = []
    for (const { payment, keyId } of attacks) told.push(await settle(payment, keyId, 0))
    assert.equal(told, [...Array(5).fill('pending'), ...Array(3).fill('too_many_open')])
    assert.is(await settle(honestPayment, honestId, 0), 'pending')
    const sent = await stand.store.settlements.listOpen(8453)
    await base.rpc('evm_mine')
    await base.rpc('evm_setAutomine', true)
    await reconcileSettlements(stand.deps, { chain: base.client })

    const receipts = await Promise.all(
      sent.map(({ txHash }) => getTransactionReceipt(base.client.client, { hash: txHash as Hex })),
    )
    const ends = receipts.map(({ status }) => status)
    assert.equal(ends, [...Array(5).fill('reverted'), 'success'])
    const states = await Promise.all(sent.map((one) => stand.store.settlements.find(one)))
    const codes = new Set(states.slice(0, 5).map((one) => one?.payerCode))
    assert.equal(
      states.map((one) => one?.state),
      [...Array(5).fill('failed'), 'settled'],
    )
    assert.ok(codes.size === 1 && !codes.has(undefined), 'one code')

    // Payers that have failed, those that have not and one that is new share the code.
    for (const wallet of [wallets[0], wallets[7], await deployBurner()]) {
      if (!wallet) throw new Error('there are eight')
      const { id, apiKey } = await stand.createKey('another key')
      const payment = await approve(wallet, apiKey)
      assert.is(await settle(payment, id), 'invalid_exact_evm_payer_barred')
    }
    assert.is((await stand.store.settlements.listOpen(8453)).length, 0)

    assert.is((await stand.store.ledger.balance(honestId)).total, 1_000)
    const { id, apiKey } = await stand.createKey('next')
    assert.is((await readOffer(apiKey)).accepts[0]?.scheme, 'exact')
    assert.is(await settle(await sign(await createPerson(base), apiKey), id), 'settled')
  },
)
s.run()
