import { numberToHex, type RpcTransactionReceipt } from 'viem'
import { carryIn, openPasses, watchNode } from '../../../fixtures/access/simPasses.ts'
import {
  settleChainId as chainId,
  openSettlements,
  settlePayer,
  settleStartMs,
  signPayment,
} from '../../../fixtures/access/simSettlements.ts'
import { addressAt, transferLog, wordOf } from '../../../fixtures/books/simTokens.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createKey } from '../issueKeys.ts'
import type { AccessChain } from '../sale/accessConfig.ts'
import { reconcileSettlements, resolveSettlement } from './resolveSettlement.ts'
import { settlePayment } from './settlePayment.ts'

/** What becomes of one that was sent, beside a simulated chain; `lifecycle.fork.test.ts` has a real one. */
const s = suite('x402/resolveSettlement')

s('credits what was mined meanwhile, once [teeth/resolve]', async () => {
  const { pay, mine, pass, find, units } = await openPasses()
  await pay()
  await pass()
  assert.equal([(await find()).state, await units()], ['sent', 0])
  mine()
  await pass()
  await pass()
  assert.equal([(await find()).state, await units()], ['settled', 10])
})
s(
  'fails what has expired unused by the time of the chain, not of the machine [teeth/resolve]',
  async () => {
    const { pay, pass, find, node, units } = await openPasses()
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
  'credits nothing that somebody else paid in the transaction that used it [attack/settled-beside]',
  async () => {
    const { deps, node, mine, chain } = await openPasses()
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
  'finds who brought it to the chain instead, from 64 blocks before its reservation on, a thousand at once [teeth/resolve]',
  async () => {
    // Its block, the 1,002nd, is the first of a range, the last of one, or within one.
    for (const [fromBlock, searched] of [
      [10, ['0 to 999', '1000 to 1002']],
      [64, ['0 to 999', '1000 to 1002']],
      [66, ['2 to 1001', '1002 to 1002']],
      [67, ['3 to 1002']],
      [990, ['926 to 1002']],
    ] as const) {
      const { pay, mine, find, units, node, deps, chain } = await openPasses()
      await pay()
      const settlement = { ...(await find()), fromBlock: BigInt(fromBlock) }
      const txHash = carryIn(node)
      mine()
      const asked: string[] = []
      const watched = watchNode(chain, ({ method, params }) => {
        const [range] = (params ?? []) as readonly { fromBlock: string; toBlock: string }[]
        if (method === 'eth_getLogs')
          asked.push(`${Number(range?.fromBlock)} to ${Number(range?.toBlock)}`)
        return undefined
      })
      await resolveSettlement({ ...deps, chains: [watched] }, settlement)
      const { state, txHash: paidBy } = await find()
      assert.equal([state, paidBy, await units()], ['settled', txHash, 10])
      assert.equal(asked, searched)
    }
  },
)
s('takes another transfer under its nonce for no payment of it [teeth/resolve-other]', async () => {
  const { pay, mine, pass, find, units, node } = await openPasses()
  const expiresSecs = settleStartMs / 1_000 + 100
  await pay({ validBefore: String(expiresSecs) })
  carryIn(node, 500n)
  mine()
  await pass()
  assert.is((await find()).state, 'sent')
  node.chain.mine({ atMs: expiresSecs * 1_000, choose: () => false })
  await pass()
  assert.equal([(await find()).state, await units()], ['failed', 0])
})
s('counts nothing in a block that its node has yet to reach [teeth/resolve]', async () => {
  const { pay, mine, find, node, deps, chain } = await openPasses()
  await pay()
  mine()
  const behind = watchNode(chain, ({ method }) =>
    method === 'eth_blockNumber' ? numberToHex(node.chain.head().number - 1) : undefined,
  )
  await resolveSettlement({ ...deps, chains: [behind] }, await find())
  assert.is((await find()).state, 'sent')
})
s(
  'takes the time of a failure from the chain where its machine is ahead [teeth/resolve]',
  async () => {
    const { pay, deps, node, chain } = await openPasses()
    const expiresMs = settleStartMs + 100_000
    await pay({ validBefore: String(expiresMs / 1_000) })
    node.chain.mine({ atMs: expiresMs, choose: () => false })
    const { deps: ahead } = openSettlements(() => settleStartMs + 25 * 3_600_000)
    const { store } = deps
    await reconcileSettlements({ ...ahead, store, chains: [chain] }, { chain })
    // A machine may be two minutes ahead.
    const failedMs = expiresMs + 120_000
    const countFailed = async (nowMs: number) =>
      (await store.settlements.listFailed({ chainId, nowMs, windowMs: 1_000 })).length
    assert.equal([await countFailed(failedMs + 999), await countFailed(failedMs + 1_000)], [1, 0])
  },
)
s('leaves what was sent on a chain that is served no more as it is [teeth/resolve]', async () => {
  const { pay, find, deps } = await openPasses()
  await pay()
  const settlement = await find()
  assert.is(await resolveSettlement({ ...deps, chains: [] }, settlement), settlement)
})
s('says of what it could not check why, and goes on [teeth/resolve]', async () => {
  const { pay, mine, find, node, deps, chain, warned, reasons } = await openPasses()
  await pay()
  const carried = carryIn(node)
  mine()
  for (const silent of [
    /^eth_getBlockByNumber/,
    /^eth_getLogs/,
    new RegExp(`^eth_getTransactionReceipt ${carried}`),
  ]) {
    const watched = watchNode(chain, ({ method, params }) => {
      if (silent.test(`${method} ${params?.[0]}`)) throw new RangeError('pruned')
      return undefined
    })
    const settlement = await find()
    assert.is(await resolveSettlement({ ...deps, chains: [watched] }, settlement), settlement)
  }
  // It was used, and no node says where.
  const silent = watchNode(chain, ({ method }) => (method === 'eth_getLogs' ? [] : undefined))
  await resolveSettlement({ ...deps, chains: [silent] }, await find())
  assert.equal(warned, Array(4).fill('a settlement was not checked'))
  assert.equal(reasons, ['RangeError', 'RangeError', 'Error', 'Error'])
})
s('leaves what it cannot look at as it is, and says so [teeth/resolve]', async () => {
  const { pay, pass, find, node, deps, warned } = await openPasses()
  await pay()
  node.faults.isDown = true
  const failed = await pass().catch((error: Error) => error)
  assert.ok(failed instanceof Error)
  const settlement = await find()
  assert.is(await resolveSettlement(deps, settlement), settlement)
  node.faults.isDown = false
  assert.equal(
    [(await find()).state, warned],
    ['sent', Array(2).fill('a claim could not be checked')],
  )
  await pass()
  assert.is((await find()).state, 'sent')
})
s.run()
