import { x402Client, x402HTTPClient } from '@x402/core/client'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm'
import type { Hex } from 'viem'
import { createPerson, startAccessStand } from '../../../fixtures/access/accessStand.ts'
import { startKeyService } from '../../../fixtures/access/keyService.ts'
import { workEndpoint } from '../../../fixtures/access/workEndpoint.ts'
import {
  lyingToken,
  ownerAt,
  prepareOwners,
  startRelayStand,
} from '../../../fixtures/relay/relayStand.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { encodeHeader } from '../sale/paymentRequired.ts'

const s = suite('access/sharedSigner')
const world = await startWorldChain({ chainId: 8453 })
// The relayer's key is in a key service that takes its time; no part of the gateway ever holds it.
const service = startKeyService({
  privateKey: world.manifest.relayer.privateKey,
  afterMs: 5,
  isRandom: true,
})
const keyOf = (_: Hex) => service.key
const stand = await startAccessStand({
  worlds: [world],
  isSettling: true,
  endpoints: [workEndpoint],
  keyOf,
})
const chain = stand.chain(8453)
const relay = await startRelayStand({ chain: world, store: stand.store, keyOf })
s.after(async () => {
  await relay.close()
  await stand.close()
  await world.close()
})

s(
  'takes one nonce each where relay and settlements sign at once with one key in a key service',
  async () => {
    const owners = Array.from({ length: 6 }, (_, index) => ownerAt(index))
    await prepareOwners(chain.world, owners)
    const payments: { readonly key: string; readonly header: string }[] = []
    // One after the other: they are funded from one account.
    for (const [index] of owners.entries()) {
      const { account } = await createPerson(chain)
      const scheme = new x402Client().register('eip155:8453', new ExactEvmScheme(account))
      const client = new x402HTTPClient(scheme)
      const { apiKey: key } = await stand.createKey(`buyer ${index}`)
      const offer = await stand.call('/work', { key, body: {} })
      const required = decodePaymentRequiredHeader(offer.headers.get('payment-required') ?? '')
      payments.push({ key, header: encodeHeader(await client.createPaymentPayload(required)) })
    }
    const answers = await Promise.all([
      ...payments.map(({ key, header }) =>
        stand.call('/work', { key, body: {}, headers: { 'payment-signature': header } }),
      ),
      ...owners.map((owner) =>
        relay.post({ chainId: 8453, owner, tokenIn: lyingToken, amountIn: '1' }),
      ),
    ])
    assert.equal(new Set(answers.map(({ status }) => status)), new Set([200]))
    const rows = stand.store.db
      .prepare<[], { nonce: number }>(
        'SELECT nonce FROM relay_transactions UNION ALL SELECT signer_nonce FROM settlements ORDER BY 1',
      )
      .all()
    const first = rows[0]?.nonce ?? 0
    assert.equal(
      rows.map(({ nonce }) => nonce),
      Array.from({ length: 12 }, (_, index) => first + index),
    )
  },
)
s.run()
