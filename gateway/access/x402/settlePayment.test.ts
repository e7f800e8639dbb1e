import { mock } from 'node:test'
import type { Hex } from 'viem'
import { watchNode } from '../../../fixtures/access/simPasses.ts'
import {
  settleChainId as chainId,
  openSettlements,
  settlePayer,
  settleStartMs,
  signPayment,
} from '../../../fixtures/access/simSettlements.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createKey } from '../issueKeys.ts'
import type { AccessDeps } from '../sale/accessConfig.ts'
import { readOffers } from './readOffers.ts'
import { settlementClock } from './settlementClock.ts'
import { fromSettling } from './settlementResponse.ts'
import { settlePayment } from './settlePayment.ts'

/** With a real book and key beside a simulated chain; `lifecycle.fork.test.ts` has real ones. */
const s = suite('x402/settlePayment')
const network = `eip155:${chainId}`
const now = () => settleStartMs

async function addKey(deps: AccessDeps, label = 'buyer') {
  return (await createKey(deps, { label })).id
}
const schemesOf = async (deps: AccessDeps, keyId?: string) =>
  (await readOffers(deps, keyId === undefined ? undefined : { keyId })).map(({ scheme }) => scheme)

s('sends what it has signed, and credits it once it is mined [teeth/settle-payment]', async () => {
  const { deps, node, mine } = openSettlements(now)
  const keyId = await addKey(deps)
  const pay = () => settlePayment(deps, { payment: signPayment(), keyId, waitMs: 0 })
  const first = await pay()
  const [settlement, ...more] = await deps.store.settlements.listOpen(chainId)
  assert.is(settlement?.payerCode, undefined)
  const txHash = settlement?.txHash ?? '0x'
  assert.equal([first, more], [{ status: 'pending', txHash, network }, []])
  assert.equal(
    [...node.chain.pool.values()].map(({ hash }) => hash),
    [txHash],
  )
  mine()
  const settled = {
    status: 'settled',
    txHash,
    payer: settlePayer,
    network,
    amount: '1000',
  } as const
  assert.equal([await pay(), await pay()], [settled, settled])
  assert.is((await deps.store.ledger.balance(keyId)).total, 10)
})
s('waits for its block, each time twice as long as before [teeth/settle-payment]', async () => {
  const mined = Promise.withResolvers<void>()
  const lookedAtMs: number[] = []
  const asked = (method: string) => {
    if (method !== 'eth_getTransactionReceipt') return
    lookedAtMs.push(performance.now())
    // It is mined behind the fourth look at it.
    if (lookedAtMs.length === 4) mined.resolve()
  }
  const { deps, mine } = openSettlements(now, { asked })
  const keyId = await addKey(deps)
  const paid = settlePayment(deps, { payment: signPayment(), keyId, waitMs: 60_000 })
  await mined.promise
  mine()
  assert.is((await paid).status, 'settled')
  const [firstMs = 0, fourthMs = 0] = [lookedAtMs[0], lookedAtMs[3]]
  // 25, 50 and 100 ms, of which timers may leave some out.
  assert.ok(fourthMs - firstMs > 170, `${fourthMs - firstMs} ms`)
})
s('signs no nonce that a node alone says is next [teeth/settle-payment]', async () => {
  // Newcomers have half of an hour.
  const { deps, node, mine } = openSettlements(now, { maxPerHour: 8 })
  const keyId = await addKey(deps)
  const pay = async (nth: number) =>
    (await settlePayment(deps, { payment: signPayment({ nth }), keyId, waitMs: 0 })).status
  for (const nth of [1, 2, 3]) {
    assert.is(await pay(nth), 'pending')
    mine()
    assert.is(await pay(nth), 'settled')
  }
  node.faults.nonceShift = 1
  assert.is(await pay(4), 'unavailable')
  node.faults.nonceShift = 0
  assert.is(await pay(4), 'pending')
  assert.equal(
    (await deps.store.settlements.listOpen(chainId)).map(({ signerNonce }) => signerNonce),
    [3],
  )
})
s(
  'what one key has sent no other settles, and no other is credited [teeth/settle-payment]',
  async () => {
    const { deps, mine } = openSettlements(now)
    const [keyId, other] = [await addKey(deps), await addKey(deps, 'other')]
    const pay = (by: string) =>
      settlePayment(deps, { payment: signPayment(), keyId: by, waitMs: 0 })
    await pay(keyId)
    mine()
    const refused = {
      status: 'refused',
      reason: 'invalid_exact_evm_nonce_already_used',
      payer: settlePayer,
      network,
    } as const
    assert.equal(await pay(other), refused)
    assert.is((await pay(keyId)).status, 'settled')
    assert.is((await deps.store.ledger.balance(other)).total, 0)
  },
)
s('keeps until when it may be mined, or that it may for ever [teeth/settle-payment]', async () => {
  const { deps } = openSettlements(now)
  const keyId = await addKey(deps)
  const usual = signPayment({ nth: 1 })
  const endless = signPayment({ nth: 2, validBefore: String(2n ** 256n - 1n) })
  for (const payment of [usual, endless]) await settlePayment(deps, { payment, keyId, waitMs: 0 })
  assert.equal(
    (await deps.store.settlements.listOpen(chainId)).map((one) => one.validBeforeSecs),
    [settleStartMs / 1_000 + 7_200, 2 ** 52],
  )
})
s('says why the chain would not take it, and signs nothing [teeth/settle-payment]', async () => {
  const { deps, node } = openSettlements(now)
  const keyId = await addKey(deps)
  node.chain.head().state.usdc.set(settlePayer, 999n)
  assert.equal(await settlePayment(deps, { payment: signPayment(), keyId }), {
    status: 'refused',
    reason: 'invalid_exact_evm_insufficient_balance',
    payer: settlePayer,
    network,
  })
  const usual = signPayment()
  const payment = { ...usual, accepted: { ...usual.accepted, amount: '1' } }
  assert.equal(await settlePayment(deps, { payment, keyId }), {
    status: 'refused',
    reason: 'invalid_payment_requirements',
    payer: settlePayer,
    network,
  })
  assert.equal(await deps.store.settlements.listOpen(chainId), [])
})
s('says that the chain is away, and signs nothing [teeth/settle-payment]', async () => {
  const { deps, node } = openSettlements(now)
  const keyId = await addKey(deps)
  node.faults.isDown = true
  assert.equal(await settlePayment(deps, { payment: signPayment(), keyId }), {
    status: 'unavailable',
    reason: 'chain_unreachable',
  })
  assert.equal(await schemesOf(deps), ['prepaid-claim'])
  node.faults.isDown = false
  assert.equal(await deps.store.settlements.listOpen(chainId), [])
})
s('asks what settling costs once in two seconds, whoever asks [teeth/offers-shared]', async () => {
  let atMs = 0
  let asks = 0
  const clock = mock.method(performance, 'now', () => atMs)
  const { deps } = openSettlements(now, {
    asked: (method) => {
      if (method === 'eth_getBalance') asks += 1
    },
  })
  const counts: number[] = []
  for (const ms of [0, 1_999, 2_000, 3_999]) {
    atMs = ms
    await Promise.all([schemesOf(deps), schemesOf(deps)])
    counts.push(asks)
  }
  clock.mock.restore()
  assert.equal(counts, [1, 1, 2, 2])
})
s('offers what it would settle now, and to whom it would [teeth/offers]', async () => {
  const { deps } = openSettlements(now, { maxPerHour: 2 })
  const keyId = await addKey(deps)
  assert.equal([await schemesOf(deps), await schemesOf(deps, keyId)], [['exact'], ['exact']])
  await settlePayment(deps, { payment: signPayment(), keyId, waitMs: 0 })
  // Newcomers have half of an hour.
  assert.equal(await schemesOf(deps, keyId), ['prepaid-claim'])
  const { config } = deps
  const contracts = config.contracts.map((one) => ({ ...one, settlement: undefined }))
  assert.equal(await schemesOf({ ...deps, config: { ...config, contracts } }), ['prepaid-claim'])
})
s(
  'holds to the lower caps of another gateway, and tells its own once [teeth/settle-payment]',
  async () => {
    const { deps: low } = openSettlements(now, { maxPerHour: 1 })
    const { deps: high } = openSettlements(now, { maxPerHour: 6 })
    let told = 0
    const settlements: AccessDeps['store']['settlements'] = {
      ...low.store.settlements,
      tellCaps(request) {
        told += 1
        return low.store.settlements.tellCaps(request)
      },
    }
    const shared = { ...high, store: { ...low.store, settlements } }
    const pay = async (deps: AccessDeps, nth: number) => {
      const keyId = await addKey(low, `key ${nth}`)
      return settlePayment(deps, { payment: signPayment({ nth }), keyId, waitMs: 0 })
    }
    assert.is((await pay(low, 1)).status, 'pending')
    const capped = { status: 'unavailable', reason: 'hourly_cap' } as const
    assert.equal([await pay(shared, 2), await pay(shared, 3)], [capped, capped])
    assert.is(told, 1)
  },
)
s(
  'knows what time it is in the book by what it has booked last [teeth/settle-payment]',
  async () => {
    const { deps, signer } = openSettlements(now)
    const keyId = await addKey(deps)
    const setBook = (laterMs: number) =>
      deps.store.clock.resetClock({ chainId, nowMs: settleStartMs + laterMs })
    await setBook(0)
    await settlePayment(deps, { payment: signPayment({ nth: 1 }), keyId, waitMs: 0 })
    await setBook(60_000)
    await settlePayment(deps, { payment: signPayment({ nth: 2 }), keyId, waitMs: 0 })
    assert.is(settlementClock(deps, signer).now(), settleStartMs + 60_000)
  },
)
s('answers as x402 has it [teeth/response]', () => {
  const [payer, txHash] = [settlePayer, '0x07'] as const
  assert.equal(fromSettling({ status: 'settled', txHash, payer, network, amount: '9' }), {
    success: true,
    payer,
    transaction: txHash,
    network,
    amount: '9',
  })
  assert.equal(fromSettling({ status: 'pending', txHash, network }), {
    success: false,
    errorReason: 'settlement_pending',
    transaction: txHash,
    network,
  })
  const reason = 'invalid_exact_evm_payer_barred'
  assert.equal(fromSettling({ status: 'refused', reason, payer, network }), {
    success: false,
    errorReason: reason,
    payer,
    transaction: '',
    network,
  })
})
s('counts what it has signed for an hour, to the millisecond [teeth/settle-window]', async () => {
  let nowMs = settleStartMs
  const { deps } = openSettlements(() => nowMs, { maxPerHour: 1 })
  const keyId = await addKey(deps)
  const pay = async (nth: number, laterMs: number) => {
    nowMs = settleStartMs + laterMs
    return (await settlePayment(deps, { payment: signPayment({ nth }), keyId, waitMs: 0 })).status
  }
  const statuses = [await pay(1, 0), await pay(2, 3_599_999), await pay(2, 3_600_000)]
  assert.equal(statuses, ['pending', 'unavailable', 'pending'])
})
s('settles for no payer whose payment has just failed [teeth/settle-payment]', async () => {
  const { deps, node } = openSettlements(now)
  const keyId = await addKey(deps)
  const expiresSecs = settleStartMs / 1_000 + 100
  const pay = (given: Parameters<typeof signPayment>[0]) =>
    settlePayment(deps, { payment: signPayment(given), keyId, waitMs: 0 })
  const validBefore = String(expiresSecs)
  assert.is((await pay({ validBefore })).status, 'pending')
  node.chain.mine({ atMs: expiresSecs * 1_000, choose: () => false })
  const refused = { status: 'refused', payer: settlePayer, network } as const
  const failed = { ...refused, reason: 'invalid_exact_evm_transaction_failed' } as const
  const barred = { ...refused, reason: 'invalid_exact_evm_payer_barred' } as const
  assert.equal([await pay({ validBefore }), await pay({ nth: 2 })], [failed, barred])
})
s('one authorization at once is of whose it was first [teeth/settle-race]', async () => {
  const { deps, mine } = openSettlements(now)
  const [keyId, other] = [await addKey(deps), await addKey(deps, 'other')]
  /** With its first look before anybody has brought it. */
  const pay = (by: string) => {
    let looks = 0
    const find: typeof deps.store.settlements.find = async (asked) => {
      looks += 1
      return looks === 1 ? undefined : deps.store.settlements.find(asked)
    }
    const store = { ...deps.store, settlements: { ...deps.store.settlements, find } }
    const payment = signPayment()
    return settlePayment({ ...deps, store }, { payment, keyId: by, waitMs: 0 })
  }
  const taken = {
    status: 'refused',
    reason: 'invalid_exact_evm_nonce_already_used',
    payer: settlePayer,
    network,
  } as const
  assert.is((await pay(keyId)).status, 'pending')
  // The chain would still take it, and then no more.
  assert.equal(await pay(other), taken)
  mine()
  assert.equal([await pay(other), (await pay(keyId)).status], [taken, 'settled'])
  const { ledger } = deps.store
  assert.equal([(await ledger.balance(keyId)).total, (await ledger.balance(other)).total], [10, 0])
})
s('signs nothing whose price cannot be read [teeth/settle-payment]', async () => {
  const { deps } = openSettlements(now, {
    asked: (method) => {
      if (method === 'eth_getBalance') throw new RangeError('away')
    },
  })
  const keyId = await addKey(deps)
  const unavailable = { status: 'unavailable', reason: 'chain_unreachable' } as const
  assert.equal(await settlePayment(deps, { payment: signPayment(), keyId }), unavailable)
  assert.equal(await deps.store.settlements.listOpen(chainId), [])
})
s('prices what it offers by as many bytes as a payment has [teeth/offers-sample]', async () => {
  const { deps } = openSettlements(now)
  const sizes: number[] = []
  const chains = deps.chains.map((chain) =>
    watchNode(chain, ({ method, params }) => {
      const [call] = (params ?? []) as readonly { to?: string; data: string }[]
      if (method === 'eth_call' && call?.to?.startsWith('0x42')) sizes.push(call.data.length)
      return undefined
    }),
  )
  const watched = { ...deps, chains }
  await readOffers(watched)
  const { payload, ...payment } = signPayment()
  const signed = { ...payment, payload: { ...payload, signature: `0x${'11'.repeat(65)}` as Hex } }
  await settlePayment(watched, { payment: signed, keyId: await addKey(deps), waitMs: 0 })
  const [sample, real] = sizes
  assert.ok(sample)
  assert.is(sample, real)
})
s(
  'offers nothing of an hour that is not over where its machine is ahead [teeth/offers]',
  async () => {
    const { deps: right } = openSettlements(now, { maxPerHour: 1 })
    await settlePayment(right, { payment: signPayment(), keyId: await addKey(right), waitMs: 0 })
    const { deps: ahead } = openSettlements(() => settleStartMs + 25 * 3_600_000, { maxPerHour: 1 })
    assert.equal(await schemesOf({ ...ahead, store: right.store }), ['prepaid-claim'])
  },
)
s.run()
