import { type Hex, numberToHex } from 'viem'
import {
  settleChainId as chainId,
  openSettlements,
  settlePayer,
  settleStartMs,
  signPayment,
} from '../../../fixtures/access/simSettlements.ts'
import { createRandom } from '../../../fixtures/books/random.ts'
import { finalDepth } from '../../../fixtures/books/simChain.ts'
import { wordOf } from '../../../fixtures/books/simTokens.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { proofs } from '../../store/payments.ts'
import { createKey } from '../issueKeys.ts'
import { settlePayment } from '../x402/settlePayment.ts'
import type { AccessChain } from './accessConfig.ts'
import { recheckPayments } from './recheckPayments.ts'

/** What becomes of a payment whose block is gone, by the chain's time; `reorganisedUse.test.ts` has those that come back. */
const s = suite('access/recheckPayments')
const hourSecs = 3_600

/** One payment, credited. `expiresSecs` and all times count from its block. */
async function pay({ expiresSecs = 7_200, confirmations = 1 } = {}) {
  const opened = openSettlements(() => settleStartMs)
  const { node, mine } = opened
  const told: string[] = []
  const tell = (_: object, text: string) => void told.push(text)
  const log = { ...opened.deps.log, info: tell, warn: tell }
  const contracts = opened.deps.config.contracts.map((one) => ({ ...one, confirmations }))
  const deps = { ...opened.deps, config: { ...opened.deps.config, contracts }, log }
  const [chain] = deps.chains
  if (!chain) throw new Error('there is no chain')
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  const validBefore = String(settleStartMs / 1_000 + expiresSecs)
  const ask = () => settlePayment(deps, { payment: signPayment({ validBefore }), keyId, waitMs: 0 })
  await ask()
  const [transaction] = node.chain.pool.values()
  mine()
  await ask()
  const { payments, ledger } = deps.store
  const [block] = await payments.listOpen({ chainId, maxBlock: 10_000n, limit: 9 })
  if (!transaction || !block) throw new Error('nothing was paid')
  const { blockNumber } = block
  told.length = 0
  function reorganise(keeps: () => boolean) {
    const random = { ...createRandom(1), chance: () => false, below: () => 0 }
    node.chain.reorganise({ depth: 1, atMs: settleStartMs, random, keeps })
  }
  return {
    node,
    told,
    blockNumber,
    transaction,
    /** As if the transaction had bought for the key as well, in that block. */
    creditMore: () =>
      payments.credit({
        ...block,
        keyId,
        atMs: settleStartMs,
        payments: [
          {
            logIndex: 99,
            payer: settlePayer,
            amount: 1_000n,
            quotes: 10,
            proof: proofs.bound,
            source: keyId,
          },
        ],
      }),
    reorganise,
    async lose() {
      reorganise(() => false)
      await recheckPayments(deps, { chain })
    },
    mineAt(secs: number, blocks = finalDepth + 1) {
      const atMs = settleStartMs + secs * 1_000
      for (let block = 0; block < blocks; block += 1) node.chain.mine({ atMs, choose: () => true })
    },
    /** `answers`: in place of the node's own. */
    pass(answers: (method: string, params: readonly unknown[]) => unknown = () => undefined) {
      const request = async (call: { method: string; params?: readonly unknown[] }) => {
        const answer = answers(call.method, call.params ?? [])
        return answer === undefined ? chain.client.request(call as never) : answer
      }
      const client = { ...chain.client, request } as AccessChain['client']
      return recheckPayments(deps, { chain: { ...chain, client } })
    },
    /** As if another gateway's node, whose head is no higher than at the loss, left the new block at once. */
    passAndLoseAgain() {
      const credit: typeof payments.credit = async (claim) => {
        const [lost] = await payments.listLost({ chainId, limit: 9 })
        if (!lost) throw new Error('nothing is lost')
        const quotes = await payments.credit(claim)
        await payments.orphan({ ...claim, headBlock: lost.lostAtBlock })
        return quotes
      }
      const store = { ...deps.store, payments: { ...payments, credit } }
      return recheckPayments({ ...deps, store }, { chain })
    },
    countOpen: async () =>
      (await payments.listOpen({ chainId, maxBlock: 10_000n, limit: 9 })).length,
    countLost: async () => (await payments.listLost({ chainId, limit: 9 })).length,
    units: async () => (await ledger.balance(keyId)).total,
  }
}

s('is looked at until its block is final, and no longer [teeth/recheck]', async () => {
  const { mineAt, pass, countOpen, units } = await pay()
  mineAt(0, finalDepth - 1)
  await pass()
  assert.is(await countOpen(), 1)
  mineAt(0, 1)
  await pass()
  assert.equal([await countOpen(), await units()], [0, 10])
})
s(
  'is given up where nobody has heard of it for an hour that is final [teeth/recheck]',
  async () => {
    const { lose, mineAt, pass, told, countLost, units } = await pay()
    await lose()
    assert.equal([await countLost(), await units()], [1, 0])
    mineAt(hourSecs - 1)
    await pass()
    assert.is(await countLost(), 1)
    mineAt(hourSecs)
    await pass()
    assert.equal([await countLost(), await units()], [0, 0])
    assert.equal(told, ['a credited payment was reorganised', 'a payment is gone'])
  },
)
s('is credited again where it is mined after all, however late [teeth/recheck]', async () => {
  const { node, transaction, lose, mineAt, pass, told, countLost, units } = await pay()
  await lose()
  mineAt(hourSecs - 1)
  node.chain.pool.set('again', transaction)
  mineAt(hourSecs - 1, 1)
  await pass()
  assert.equal([await countLost(), await units()], [0, 10])
  assert.equal(told, ['a credited payment was reorganised', 'a payment was credited again'])
})
s(
  'is looked for no more once what it pays in its new block is credited [claims/lost-rest]',
  async () => {
    const { node, transaction, creditMore, lose, mineAt, pass, countLost, units } = await pay()
    assert.is(await creditMore(), 10)
    await lose()
    assert.equal([await countLost(), await units()], [1, 0])
    mineAt(hourSecs - 1)
    node.chain.pool.set('again', transaction)
    mineAt(hourSecs - 1, 1)
    await pass()
    assert.equal([await countLost(), await units()], [0, 10])
  },
)
s(
  'is looked for where another gateway loses it again before the pass is over [attack/lost-meanwhile]',
  async () => {
    const { node, transaction, lose, mineAt, pass, passAndLoseAgain, countLost, units } =
      await pay()
    await lose()
    node.chain.pool.set('again', transaction)
    mineAt(1, 1)
    await passAndLoseAgain()
    assert.equal([await countLost(), await units()], [1, 0])
    await pass()
    assert.equal([await countLost(), await units()], [0, 10])
  },
)
s(
  'is looked for in a pool where not all that it paid needs what has expired [attack/lost-expiry]',
  async () => {
    const { node, transaction, creditMore, lose, mineAt, pass, countLost } = await pay({
      expiresSecs: 100,
    })
    await creditMore()
    await lose()
    node.chain.pool.set('again', { ...transaction, maxFeePerGasWei: 1n })
    mineAt(100)
    await pass()
    assert.is(await countLost(), 1)
  },
)
s('is given up once it has failed for good [teeth/recheck]', async () => {
  const { node, transaction, lose, mineAt, pass, told, countLost } = await pay({
    expiresSecs: 100,
  })
  await lose()
  node.chain.pool.set('again', transaction)
  mineAt(100, finalDepth)
  await pass()
  assert.is(await countLost(), 1)
  mineAt(100, 1)
  await pass()
  assert.is(await countLost(), 0)
  assert.is(told.at(-1), 'a payment is gone')
})
s('is looked for while the block that it failed in is not final [attack/lost-failed]', async () => {
  const { node, transaction, lose, mineAt, reorganise, pass, countLost, units } = await pay({
    expiresSecs: 100,
  })
  await lose()
  mineAt(50)
  node.chain.pool.set('again', transaction)
  mineAt(100, 1)
  await pass()
  assert.is(await countLost(), 1)
  reorganise(() => true)
  mineAt(50, 1)
  await pass()
  assert.equal([await countLost(), await units()], [0, 10])
})
/** Of somebody else, in the block `from`. */
const others = wordOf(99)
const hasTransaction =
  (from: bigint) =>
  (method: string, [tag]: readonly unknown[]) => {
    if (method !== 'eth_getBlockByNumber' || tag !== numberToHex(from)) return undefined
    const place = {
      number: tag,
      hash: wordOf(98),
      timestamp: '0x1',
      gasLimit: '0x1',
      gasUsed: '0x0',
    }
    return { ...place, transactions: [others] satisfies Hex[] }
  }
s('is given up by a node that shows what else was mined there [teeth/recheck]', async () => {
  const { blockNumber, lose, mineAt, pass, countLost } = await pay()
  await lose()
  mineAt(hourSecs)
  const shows = (transactionHash: Hex) => (method: string, params: readonly unknown[]) =>
    method === 'eth_getTransactionReceipt' && params[0] === others
      ? { transactionHash }
      : hasTransaction(blockNumber)(method, params)
  await pass(shows(wordOf(97)))
  assert.is(await countLost(), 1)
  await pass(shows(others))
  assert.is(await countLost(), 0)
})
s('is not given up by a node that has let go of its history [teeth/recheck]', async () => {
  const { blockNumber, lose, mineAt, pass, told, countLost } = await pay()
  await lose()
  mineAt(hourSecs)
  const isHead = (number: bigint) => (method: string, params: readonly unknown[]) =>
    method === 'eth_blockNumber' ? numberToHex(number) : hasTransaction(number)(method, params)
  for (const answers of [
    hasTransaction(blockNumber),
    hasTransaction(blockNumber + 63n),
    isHead(blockNumber + 10n),
  ]) {
    await pass(answers)
    assert.is(await countLost(), 1)
    assert.is(told.at(-1), 'no node has the history in which a payment is looked for')
  }
  // What is in later blocks says nothing of the one that it was in.
  await pass(hasTransaction(blockNumber + 64n))
  assert.is(await countLost(), 0)
})
s('waits while a node says less than a moment ago [teeth/recheck]', async () => {
  const { blockNumber, lose, mineAt, pass, countLost } = await pay()
  await lose()
  mineAt(hourSecs)
  const hides = (method: string, [tag]: readonly unknown[]) =>
    method === 'eth_getBlockByNumber' && tag === numberToHex(blockNumber) ? null : undefined
  await pass(hides)
  assert.is(await countLost(), 1)
  await pass()
  assert.is(await countLost(), 0)
})
s('is passed over where a node does not know its block [teeth/recheck]', async () => {
  const { blockNumber, mineAt, pass, told, countOpen, units } = await pay()
  mineAt(0)
  const hides = (method: string, [tag]: readonly unknown[]) =>
    method === 'eth_getBlockByNumber' && tag === numberToHex(blockNumber) ? null : undefined
  await pass(hides)
  assert.equal([told, await countOpen(), await units()], [['a payment has no block'], 1, 10])
  await pass()
  assert.is(await countOpen(), 0)
})
s('is given up in a pool for ever, once its expiry is final [teeth/recheck]', async () => {
  const { node, transaction, lose, mineAt, pass, countLost } = await pay({ expiresSecs: 100 })
  await lose()
  node.chain.pool.set('again', { ...transaction, maxFeePerGasWei: 1n })
  mineAt(99)
  await pass()
  assert.is(await countLost(), 1)
  mineAt(100)
  await pass()
  assert.is(await countLost(), 0)
})
s('is given up with the very block in which it was missed becoming final', async () => {
  const { node, transaction, reorganise, mineAt, pass, countLost } = await pay({ expiresSecs: 100 })
  reorganise(() => false)
  mineAt(100, 1)
  await pass()
  node.chain.pool.set('again', { ...transaction, maxFeePerGasWei: 1n })
  mineAt(100, finalDepth - 1)
  await pass()
  assert.is(await countLost(), 1)
  mineAt(100, 1)
  await pass()
  assert.is(await countLost(), 0)
})
s('is kept where a node fails, which ends the pass [teeth/recheck]', async () => {
  const { blockNumber, lose, mineAt, pass, countLost } = await pay()
  await lose()
  mineAt(hourSecs)
  // Whether its time is over, and whether the node still knows.
  for (const asked of [`eth_getBlockByNumber ${numberToHex(blockNumber)}`, 'eth_blockNumber ']) {
    const passed = pass((method, [tag = '']) => {
      if (`${method} ${tag}` === asked) throw new RangeError('away')
      return undefined
    })
    assert.is(await passed.catch((error: Error) => error.name), 'RangeError')
    assert.is(await countLost(), 1)
  }
  await pass()
  assert.is(await countLost(), 0)
})
s(
  'is kept until what it has become is as deep as a payment has to be [teeth/recheck]',
  async () => {
    const asked = { expiresSecs: 100, confirmations: finalDepth + 2 }
    const { node, transaction, lose, mineAt, pass, countLost } = await pay(asked)
    await lose()
    mineAt(100)
    node.chain.pool.set('again', transaction)
    mineAt(100)
    await pass()
    assert.is(await countLost(), 1)
    mineAt(100, 1)
    await pass()
    assert.is(await countLost(), 0)
  },
)

s.run()
