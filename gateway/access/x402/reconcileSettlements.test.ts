import { deploy, openPasses, watchNode } from '../../../fixtures/access/simPasses.ts'
import {
  settleChainId as chainId,
  openSettlements,
  settleStartMs,
  signPayment,
} from '../../../fixtures/access/simSettlements.ts'
import { createRandom } from '../../../fixtures/books/random.ts'
import { createSimKey } from '../../../fixtures/books/simBytes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createFillSigner } from '../../signing/fillSigner.ts'
import { createKey } from '../issueKeys.ts'
import type { QuotaContract } from '../sale/accessConfig.ts'
import { reconcileSettlements } from './resolveSettlement.ts'
import { settlePayment } from './settlePayment.ts'
import { unminedForMs } from './sightings.ts'

/** What a pass over all that was signed sends, raises and fills; `sharedSigner.fork.test.ts` has a real chain. */
const s = suite('x402/reconcileSettlements')

s(
  'sends again what no node has, and goes on where one does not take it [teeth/reconcile]',
  async () => {
    const { pay, pass, pool, find, node, paid, warned } = await openPasses()
    await pay()
    const sent = paid.map(({ txHash }) => txHash)
    node.chain.pool.clear()
    node.faults.refusesSends = true
    await pass()
    assert.equal([pool(), warned], [[], ['a settlement was not taken']])
    node.faults.refusesSends = false
    await pass()
    assert.equal([pool(), (await find()).state], [sent, 'sent'])
  },
)
s(
  'raises the price of what is stuck for a minute, and of nothing before [teeth/reconcile]',
  async () => {
    const { pay, pass, find, paid, deps, warned } = await openPasses()
    await pay()
    const [first] = paid
    await pass(59_999)
    assert.is((await find()).txHash, first?.txHash)
    await pass(1)
    const raised = await find()
    assert.is.not(raised.txHash, first?.txHash)
    assert.ok(raised.maxFeePerGasWei > (first?.maxFeePerGasWei ?? 0n))
    assert.equal(
      [raised.signerNonce, raised.signedAtMs],
      [first?.signerNonce, settleStartMs + 60_000],
    )
    // It has a minute of its own.
    await pass(59_999)
    assert.is((await find()).txHash, raised.txHash)
    assert.is((await deps.store.settlements.listOpen(chainId)).length, 1)
    assert.not.ok(warned.includes('a settlement was not repriced'))
  },
)
s(
  'believes two nodes that count more than its own, and sends nothing that is mined again [teeth/resolve-witnesses]',
  async () => {
    const { pay, mine, pass, deps, chain, node, openWitness, pool, warned } = await openPasses()
    await pay()
    mine()
    await pass()
    let asks = 0
    const counting = watchNode({ ...chain, client: openWitness() }, () => {
      asks += 1
      return undefined
    }).client
    await reconcileSettlements(deps, { chain: { ...chain, witnesses: [counting, counting] } })
    assert.is(asks, 0, 'nothing is unmined')
    const witnesses = [openWitness(), openWitness(), chain.client]
    node.faults.nonceShift = -1
    await reconcileSettlements(deps, { chain: { ...chain, witnesses } })
    assert.equal([pool(), warned], [[], []])
    node.faults.nonceShift = 0
    await pay()
    const waiting = pool()
    node.chain.pool.clear()
    node.faults.nonceShift = -1
    await reconcileSettlements(deps, { chain: { ...chain, witnesses } })
    // A node takes no nonce that is used.
    assert.equal([pool(), warned], [waiting, []])
  },
)
s(
  'uses up the nonces of what has failed with its own key alone [teeth/resolve-foreign-nonces]',
  async () => {
    const { pay, pass, pool, node, deps, chain, paid } = await openPasses()
    const expiresSecs = settleStartMs / 1_000 + 100
    await pay({ validBefore: String(expiresSecs) })
    await pay()
    node.chain.mine({ atMs: expiresSecs * 1_000, choose: () => false })
    await pass()
    const [failed, waiting] = paid.map(({ txHash }) => txHash)
    node.chain.pool.clear()
    const contracts = deps.config.contracts.map((one) => ({ ...one, settlement: undefined }))
    await reconcileSettlements({ ...deps, config: { ...deps.config, contracts } }, { chain })
    assert.equal(pool(), [waiting])
    node.chain.pool.clear()
    // Who settles nothing any more goes on with what it has signed.
    const kept = deps.config.contracts.map(({ settlement, ...one }) => ({
      ...one,
      upkeep: settlement,
    }))
    await reconcileSettlements({ ...deps, config: { ...deps.config, contracts: kept } }, { chain })
    assert.equal(pool(), [failed, waiting])
    node.chain.pool.clear()
    await pass()
    assert.equal(pool(), [failed, waiting])
  },
)
s(
  'raises what a deployment waits behind above its ceiling, and no other [teeth/held-up]',
  async () => {
    const limits = { maxFeeWei: 3n * 10n ** 12n, maxStuckFeeWei: 10n ** 13n }
    const withLimits = ({ settlement, ...contract }: QuotaContract) => ({
      ...contract,
      settlement: settlement && { ...settlement, limits: { ...settlement.limits, ...limits } },
    })
    const raise = async (isHeldUp: boolean) => {
      const { pay, pass, node, deps } = await openPasses(withLimits)
      await pay()
      await pay()
      if (isHeldUp) await deploy(deps)
      node.chain.weather.baseFeeWei = 50_000_000n
      node.chain.mine({ atMs: settleStartMs, choose: () => false })
      await pass(60_000)
      const raised = await deps.store.settlements.listOpen(chainId)
      return raised.map(({ maxFeePerGasWei }) => maxFeePerGasWei)
    }
    // Two base fees and a tip, or what the ceiling lets through of it for 84,000 gas.
    const [now, most] = [101_000_000n, 35_714_285n]
    assert.equal(
      [await raise(false), await raise(true)],
      [
        [most, most],
        [now, most],
      ],
    )
  },
)
s('signs no price that its caps do not let through [teeth/raise-capped]', async () => {
  let signatures = 0
  const { pay, pass, pool, paid } = await openPasses(({ settlement, ...contract }) => {
    if (!settlement) throw new Error('it settles')
    const { signer, limits } = settlement
    const sign: typeof signer.sign = (order) => {
      signatures += 1
      return signer.sign(order)
    }
    // A fee that is too low for any other.
    const low = { ...limits, maxFeeWei: 18n * 10n ** 11n }
    return { ...contract, settlement: { signer: { ...signer, sign }, limits: low } }
  })
  await pay()
  await pass(60_000)
  assert.equal([signatures, pool()], [1, paid.map(({ txHash }) => txHash)])
})
s('fills nonces that nothing uses, once two passes miss them [teeth/resolve-fills]', async () => {
  const key = createSimKey({ index: 0, random: createRandom(2), ask: async () => undefined })
  const filler = createFillSigner({ chainId, key })
  const { pass, node, deps, warned } = await openPasses((contract) => ({ ...contract, filler }))
  await deploy(deps, 1)
  await pass()
  node.faults.refusesSends = true
  await pass()
  assert.is(node.chain.pool.size, 0)
  node.faults.refusesSends = false
  await pass()
  const gap = 'settlements: nonce_gap'
  assert.equal(warned, [gap, gap, 'settlements: nonce_filled', 'a fill was not taken'])
  const sent = [...node.chain.pool.values()].map(({ nonce, action }) => [nonce, action.kind])
  assert.equal(sent, [[0, 'other']])
})
s('tells other gateways its caps before it has settled anything [teeth/resolve-caps]', async () => {
  const [low, high] = [1, 6].map((maxPerHour) =>
    openSettlements(() => settleStartMs, { maxPerHour }),
  )
  const [chain] = low?.deps.chains ?? []
  if (!low || !high || !chain) throw new Error('two were opened')
  await reconcileSettlements(low.deps, { chain })
  const deps = { ...high.deps, store: low.deps.store }
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  const pay = async (nth: number) =>
    (await settlePayment(deps, { payment: signPayment({ nth }), keyId, waitMs: 0 })).status
  assert.equal([await pay(1), await pay(2)], ['pending', 'unavailable'])
})
s('knows no more how long what is mined had waited [teeth/reconcile]', async () => {
  const { pay, mine, pass, paid, signer } = await openPasses()
  await pay()
  mine()
  await pay()
  await pass()
  const nowMs = settleStartMs + 90_000
  assert.equal(
    paid.map((settlement) => unminedForMs(signer, { settlement, nowMs })),
    [0, 90_000],
  )
})
s('sends what it could not reprice as it is, and says so of each [teeth/reconcile]', async () => {
  const { pay, pool, node, deps, chain, warned } = await openPasses()
  await pay()
  await pay()
  const sent = pool()
  node.chain.pool.clear()
  const watched = watchNode(chain, ({ method }) => {
    if (method === 'eth_getBalance') throw new RangeError('away')
    return undefined
  })
  const later = { ...deps, chains: [watched], now: () => settleStartMs + 60_000 }
  await reconcileSettlements(later, { chain: watched })
  assert.equal([warned, pool()], [Array(2).fill('a settlement was not repriced'), sent])
})
s.run()
