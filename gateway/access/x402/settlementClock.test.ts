import { createClient, custom, type Hex } from 'viem'
import { createRandom } from '../../../fixtures/books/random.ts'
import { createSimKey, keyAddress } from '../../../fixtures/books/simBytes.ts'
import { createSimChain } from '../../../fixtures/books/simChain.ts'
import { answerCall, healthy } from '../../../fixtures/books/simNode.ts'
import { addressAt, wordOf } from '../../../fixtures/books/simTokens.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { chains } from '../../chain/chains.ts'
import { toViemChain } from '../../chain/client.ts'
import { openStore } from '../../store/openStore.ts'
import { createKey } from '../issueKeys.ts'
import type { AccessDeps, SettlementSigner } from '../sale/accessConfig.ts'
import { settlementClock } from './settlementClock.ts'
import { createSettlementSigner } from './settlementSigner.ts'
import { settlePayment } from './settlePayment.ts'

const hourMs = 3_600_000
const startMs = 1_900_000_000_000
const log = { debug() {}, info() {}, warn() {}, error() {} }
const s = suite('settlement clock')

s(
  'does not follow the wall clock when that is set while the process runs [18/settlement-steady]',
  async () => {
    const store = openStore({ path: ':memory:' })
    const signer = { chainId: 8453 } as SettlementSigner
    let wallMs = startMs
    const clock = settlementClock({ store, now: () => wallMs, bookNow: () => startMs, log }, signer)
    wallMs += 25 * hourMs
    assert.is((await clock.read(async () => startMs)).nowMs, startMs)
    store.close()
  },
)

const [base] = chains
if (!base) throw new Error('there is no chain')
const { chainId } = base
const [payer, quotaManager, token] = [addressAt(0, 0), addressAt(3, 1), addressAt(3, 2)]

/** A gateway of one chain, which tells when its node is asked something. */
function openDeps(
  now: () => number,
  {
    asked = () => undefined,
    maxPerHour = 6,
  }: { readonly asked?: (method: string) => void; readonly maxPerHour?: number } = {},
): AccessDeps {
  const usdc = new Map([[payer, 10_000n]])
  const wei = new Map([[keyAddress(0), 10n ** 18n]])
  const place = { quotaManager, token }
  const chain = createSimChain({ chainId, place, hasPool: true, seed: { wei, usdc } })
  chain.mine({ atMs: startMs, choose: () => true })
  const node = { chain, faults: healthy(), sent: () => undefined }
  const request = async (call: { method: string; params?: readonly unknown[] }) => {
    const answer = answerCall(node, { params: [], ...call })
    asked(call.method)
    return answer
  }
  const client = createClient({ chain: toViemChain(base as never), transport: custom({ request }) })
  const key = createSimKey({ index: 0, random: createRandom(1), ask: async () => undefined })
  const caps = { maxFeeWei: 10n ** 13n, maxPerHour, maxSpendPerHourWei: 10n ** 14n }
  const limits = { ...caps, usdPerNative: 100 }
  const terms = { chainId, token, payTo: quotaManager, maxFeeWei: limits.maxFeeWei, key }
  const contract = { chainId, address: quotaManager, confirmations: 1, finalizedFrom: 10n ** 9n }
  const settlement = { signer: createSettlementSigner(terms), limits }
  const sold = {
    ...contract,
    token: { address: token, name: 'USD Coin', version: '2' },
    settlement,
  }
  return {
    store: openStore({ path: ':memory:' }),
    chains: [{ chainId, client }],
    config: {
      keyPrefix: 'test',
      pepper: 'pepper',
      publicUrl: 'http://test',
      serviceName: 'Forkyard',
      freeQuota: 0,
      amountPerQuote: 100n,
      packQuotes: 10,
      isLoopbackLimited: false,
      keyLimit: { unitsPerSec: 1, burst: 1 },
      ipLimit: undefined,
      contracts: [sold],
    },
    now,
    bookNow: now,
    log,
  }
}

/** A client's payment for the one pack that is sold. */
function sign({ nth = 1, atMs = startMs } = {}) {
  const times = { validAfter: '0', validBefore: String(atMs / 1_000 + 7_200) }
  const nonce: Hex = wordOf(nth)
  const authorization = { from: payer, to: quotaManager, value: '1000', ...times, nonce }
  const network = `eip155:${chainId}`
  const terms = { scheme: 'exact', network, amount: '1000', asset: token, payTo: quotaManager }
  return { x402Version: 2, accepted: terms, payload: { signature: '0x01' as Hex, authorization } }
}

s(
  'a gateway that starts a day ahead opens no hour of the caps of settlements [18/settlement-clock]',
  async () => {
    const right = openDeps(() => startMs, { maxPerHour: 1 })
    const payAt = async (deps: AccessDeps, nth: number, atMs: number) => {
      const { id: keyId } = await createKey(right, { label: `buyer ${nth}` })
      const payment = sign({ nth, atMs }) as never
      return settlePayment({ ...deps, store: right.store }, { payment, keyId, waitMs: 0 })
    }
    assert.is((await payAt(right, 1, startMs)).status, 'pending')
    let nowMs = startMs + 25 * hourMs
    const ahead = openDeps(() => nowMs, { maxPerHour: 1 })
    assert.equal(await payAt(ahead, 2, nowMs), { status: 'unavailable', reason: 'hourly_cap' })
    // An hour of it is an hour.
    nowMs += hourMs
    assert.is((await payAt(ahead, 3, nowMs)).status, 'pending')
  },
)

s('a machine that slept since it asked for the head is not taken to be ahead', async () => {
  let nowMs = startMs
  const deps = openDeps(() => nowMs, {
    asked(method) {
      if (method === 'eth_getBalance') nowMs = startMs + hourMs
    },
  })
  await deps.store.clock.resetClock({ chainId, nowMs: startMs })
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  const payment = sign()
  const { status } = await settlePayment(deps, { payment: payment as never, keyId, waitMs: 0 })
  assert.is(status, 'pending')
  const [settlement] = await deps.store.settlements.listOpen(chainId)
  assert.is(settlement?.createdAtMs, startMs + hourMs)
})
s.run()
