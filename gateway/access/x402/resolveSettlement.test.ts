import { numberToHex, type RpcTransactionReceipt } from 'viem'
import {
  settleChainId as chainId,
  openSettlements,
  settlePayer,
  settleStartMs,
  signPayment,
} from '../../../fixtures/access/simSettlements.ts'
import { addressAt, transferLog, wordOf } from '../../../fixtures/books/simTokens.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { StoredSettlement } from '../../store/settlements.ts'
import { createKey } from '../issueKeys.ts'
import type { AccessChain } from '../sale/accessConfig.ts'
import { reconcileSettlements, resolveSettlement } from './resolveSettlement.ts'
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
s(
  'credits nothing that somebody else paid in the transaction that used it [attack/settled-beside]',
  async () => {
    const { deps, node, mine, chain } = await open()
    const { id: keyId } = await createKey(deps, { label: 'thief', wallet: settlePayer })
    await settlePayment(deps, { payment: signPayment(), keyId, waitMs: 0 })
    const [ours] = node.chain.pool.values()
    const [contract] = deps.config.contracts
    if (!ours || !contract) throw new Error('it was sent')
    // Brought in by the thief itself, with what a wallet without a key had signed.
    node.chain.pool.clear()
    const carried = { ...ours, hash: wordOf(8), from: addressAt(2, 1), nonce: undefined }
    node.chain.pool.set(carried.hash, carried)
    mine()
    const { address: to, token } = contract
    const others = transferLog(token.address, { from: addressAt(0, 9), to, value: 1_000n })
    const request = async (call: { method: string; params?: readonly unknown[] }) => {
      const answer = (await chain.client.request(call as never)) as RpcTransactionReceipt | null
      if (call.method !== 'eth_getTransactionReceipt' || !answer) return answer
      const [log] = answer.logs
      const logIndex = numberToHex(answer.logs.length)
      return { ...answer, logs: [...answer.logs, { ...log, ...others, logIndex }] }
    }
    const carrying = { ...chain, client: { ...chain.client, request } as AccessChain['client'] }
    await reconcileSettlements({ ...deps, chains: [carrying] }, { chain: carrying })
    assert.is((await deps.store.ledger.balance(keyId)).total, 10)
    assert.equal(await deps.store.settlements.listOpen(chainId), [])
  },
)
s(
  'finds who brought it to the chain instead, from 64 blocks before its reservation on [teeth/resolve]',
  async () => {
    for (const [fromBlock, searched] of [
      [10n, 0n],
      [64n, 0n],
      [990n, 926n],
    ] as const) {
      const { pay, mine, find, units, node, deps, chain } = await open()
      await pay()
      const settlement = await find()
      const [ours] = node.chain.pool.values()
      if (!ours) throw new Error('nothing was sent')
      const txHash = node.chain.newTxHash()
      node.chain.pool.clear()
      node.chain.pool.set(txHash, {
        ...ours,
        hash: txHash,
        from: addressAt(9, 9),
        nonce: undefined,
      })
      mine()
      const asked: unknown[] = []
      const request = (call: { readonly method: string; readonly params?: unknown }) => {
        if (call.method === 'eth_getLogs') asked.push(call.params)
        return chain.client.request(call as never)
      }
      const client = { ...chain.client, request } as AccessChain['client']
      const watched = { ...deps, chains: [{ ...chain, client }] }
      await resolveSettlement(watched, { ...settlement, fromBlock })
      const { state, txHash: paidBy } = await find()
      assert.equal([state, paidBy, await units()], ['settled', txHash, 10])
      assert.match(JSON.stringify(asked), `"fromBlock":"${numberToHex(searched)}"`)
    }
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
