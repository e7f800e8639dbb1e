import {
  settleChainId as chainId,
  openSettlements,
  settleStartMs,
  signPayment,
} from '../../../fixtures/access/simSettlements.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { StoredSettlement } from '../../store/settlements.ts'
import { createKey } from '../issueKeys.ts'
import { reconcileSettlements } from './resolveSettlement.ts'
import { settlePayment } from './settlePayment.ts'

/** What a pass does with what was sent, beside a simulated chain; `lifecycle.fork.test.ts` has a real one. */
const s = suite('x402/resolveSettlement')

async function open() {
  let nowMs = settleStartMs
  const warned: string[] = []
  const opened = openSettlements(() => nowMs)
  const log = { ...opened.deps.log, warn: (_: object, text: string) => void warned.push(text) }
  const deps = { ...opened.deps, log }
  const [chain] = deps.chains
  if (!chain) throw new Error('there is no chain')
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  const paid: StoredSettlement[] = []
  return {
    ...opened,
    deps,
    warned,
    paid,
    chain,
    pass: (laterMs = 0) => {
      nowMs += laterMs
      return reconcileSettlements(deps, { chain })
    },
    async pay(given?: Parameters<typeof signPayment>[0]) {
      const payment = signPayment({ nth: paid.length + 1, ...given })
      await settlePayment(deps, { payment, keyId, waitMs: 0 })
      const settlement = (await deps.store.settlements.listOpen(chainId)).at(-1)
      if (settlement) paid.push(settlement)
    },
    pool: () => [...opened.node.chain.pool.values()].map(({ hash }) => hash),
    /** What became of the first one. */
    async find() {
      const [first] = paid
      const found = first && (await deps.store.settlements.find(first))
      if (!found) throw new Error('it is gone')
      return found
    },
    units: async () => (await deps.store.ledger.balance(keyId)).total,
  }
}

s('credits what was mined meanwhile, once [teeth/resolve]', async () => {
  const { pay, mine, pass, find, units } = await open()
  await pay()
  await pass()
  assert.equal([(await find()).state, await units()], ['sent', 0])
  mine()
  await pass()
  await pass()
  assert.equal([(await find()).state, await units()], ['settled', 10])
})
s(
  'sends again what no node has, and goes on where one does not take it [teeth/resolve]',
  async () => {
    const { pay, pass, pool, node, paid, warned } = await open()
    await pay()
    const sent = paid.map(({ txHash }) => txHash)
    node.chain.pool.clear()
    node.faults.refusesSends = true
    await pass()
    assert.equal([pool(), warned], [[], ['a settlement was not taken']])
    node.faults.refusesSends = false
    await pass()
    assert.equal(pool(), sent)
  },
)
s(
  'raises the price of what is stuck for a minute, and of nothing before [teeth/resolve]',
  async () => {
    const { pay, pass, find, paid, deps } = await open()
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
  },
)
s(
  'fails what has expired unused by the time of the chain, not of the machine [teeth/resolve]',
  async () => {
    const { pay, pass, find, node, units } = await open()
    const expiresSecs = settleStartMs / 1_000 + 100
    await pay({ validBefore: String(expiresSecs) })
    node.chain.mine({ atMs: (expiresSecs - 1) * 1_000, choose: () => false })
    await pass(3_600_000)
    assert.is((await find()).state, 'sent')
    node.chain.mine({ atMs: expiresSecs * 1_000, choose: () => false })
    await pass()
    const { state, reason } = await find()
    assert.equal([state, reason, await units()], ['failed', 'reverted or expired', 0])
  },
)
s(
  'believes two nodes that count more than its own, and sends nothing that is mined again [teeth/resolve-witnesses]',
  async () => {
    const { pay, mine, pass, deps, chain, node, openWitness, pool, warned } = await open()
    await pay()
    mine()
    await pass()
    await pay()
    const waiting = pool()
    node.chain.pool.clear()
    node.faults.nonceShift = -1
    const witnesses = [openWitness(), openWitness(), chain.client]
    await reconcileSettlements(deps, { chain: { ...chain, witnesses } })
    // A node takes no nonce that is used.
    assert.equal([pool(), warned], [waiting, []])
  },
)
s(
  'uses up the nonces of what has failed with its own key alone [teeth/resolve-foreign-nonces]',
  async () => {
    const { pay, pass, pool, node, deps, chain, paid } = await open()
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
    await pass()
    assert.equal(pool(), [failed, waiting])
  },
)
s('leaves what it cannot look at as it is, and says so [teeth/resolve]', async () => {
  const { pay, pass, find, node, warned } = await open()
  await pay()
  node.faults.isDown = true
  const failed = await pass().catch((error: Error) => error)
  assert.ok(failed instanceof Error)
  node.faults.isDown = false
  assert.equal([(await find()).state, warned], ['sent', ['a claim could not be checked']])
  await pass()
  assert.is((await find()).state, 'sent')
})
s.run()
