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
    async lose() {
      const random = { ...createRandom(1), chance: () => false, below: () => 0 }
      node.chain.reorganise({ depth: 1, atMs: settleStartMs, random, keeps: () => false })
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
s('is given up at once where it has failed for good [teeth/recheck]', async () => {
  const { node, transaction, lose, mineAt, pass, told, countLost } = await pay({
    expiresSecs: 100,
  })
  await lose()
  node.chain.pool.set('again', transaction)
  mineAt(100, finalDepth - 1)
  await pass()
  assert.is(await countLost(), 1)
  mineAt(100, 1)
  await pass()
  assert.is(await countLost(), 0)
  assert.is(told.at(-1), 'a payment is gone')
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
  for (const answers of [hasTransaction(blockNumber), hasTransaction(blockNumber + 63n)]) {
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
    const asked = { expiresSecs: 100, confirmations: 2 }
    const { node, transaction, lose, mineAt, pass, countLost } = await pay(asked)
    await lose()
    mineAt(100)
    node.chain.pool.set('again', transaction)
    mineAt(100, 1)
    await pass()
    assert.is(await countLost(), 1)
    mineAt(100, 1)
    await pass()
    assert.is(await countLost(), 0)
  },
)

type Told = Readonly<Record<string, Hex>>

/** Payments in blocks of their own, and passes of one gateway over them, which tell what blocks they ask for. */
async function payOften(count: number) {
  const { deps, node, mine } = openSettlements(() => settleStartMs)
  const [first] = deps.chains
  if (!first) throw new Error('there is no chain')
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  const { payments, ledger } = deps.store
  let asked: number[] = []
  let told: Told = {}
  const request = async (call: { method: string; params?: readonly unknown[] }) => {
    const number = Number(call.params?.[0])
    const answer = await first.client.request(call as never)
    if (call.method !== 'eth_getBlockByNumber' || Number.isNaN(number)) return answer
    asked.push(number)
    const hash = told[number]
    return hash ? { ...(answer as object), hash } : answer
  }
  const chain = { ...first, client: { ...first.client, request } as AccessChain['client'] }
  let paid = 0
  const headNumber = () => node.chain.head().number
  async function payIn({ number, hash } = node.chain.head()) {
    paid += 1
    const payer = settlePayer
    const price = { amount: 100n, quotes: 1 }
    const one = { logIndex: 0, payer, ...price, proof: proofs.bound, source: payer }
    const block = { chainId, blockNumber: BigInt(number), blockHash: hash, txHash: wordOf(paid) }
    await payments.credit({ ...block, keyId, payments: [one], atMs: settleStartMs })
  }
  async function payNext() {
    mine()
    await payIn()
  }
  for (let done = 0; done < count; done += 1) await payNext()
  return {
    node,
    mine,
    headNumber,
    payIn,
    payNext,
    /** `lies`: hashes that the node tells of blocks, by their numbers. */
    async pass(lies: Told = {}, on: AccessChain = chain): Promise<readonly number[]> {
      asked = []
      told = lies
      await recheckPayments(deps, { chain: on })
      return asked
    },
    restart: (): AccessChain => ({ ...chain }),
    reorganise(depth: number) {
      const random = { ...createRandom(1), chance: () => false, below: () => 0 }
      node.chain.reorganise({ depth, atMs: settleStartMs, random, keeps: () => false })
    },
    units: async () => (await ledger.balance(keyId)).total,
    countOpen: async () =>
      (await payments.listOpen({ chainId, maxBlock: 10_000n, limit: 99 })).length,
  }
}

s(
  'of payments in many blocks the newest is asked for, once two passes have found all [attack/recheck-many-blocks]',
  async () => {
    const { headNumber, payNext, pass, restart } = await payOften(50)
    const newest = headNumber()
    assert.equal([(await pass()).length, (await pass()).length, await pass()], [50, 50, [newest]])
    await payNext()
    assert.equal(
      [await pass(), await pass()],
      [
        [newest + 1, newest],
        [newest + 1, newest],
      ],
    )
    assert.equal(await pass(), [newest + 1])
    assert.is((await pass({}, restart())).length, 51)
  },
)
s(
  'what a reorganisation replaced is taken back in the next pass, and nothing below it is asked for [attack/recheck-many-blocks]',
  async () => {
    const { headNumber, pass, reorganise, units } = await payOften(50)
    await pass()
    await pass()
    reorganise(10)
    const last = headNumber()
    const replaced = Array.from({ length: 10 }, (_, index) => last - index)
    assert.equal(await pass(), [...replaced, last - 10])
    assert.is(await units(), 40)
  },
)
s(
  'a node that is on another branch for one pass has nothing kept that is gone [attack/recheck-one-pass]',
  async () => {
    const { node, headNumber, payNext, pass, reorganise, units } = await payOften(2)
    const [second, first] = [node.chain.head(), node.chain.head().parent]
    if (!first) throw new Error('there is no block')
    await pass()
    await pass()
    reorganise(2)
    await payNext()
    const old = { [first.number]: first.hash, [second.number]: second.hash }
    assert.equal(await pass(old), [headNumber(), second.number])
    assert.is(await units(), 3)
    await pass()
    assert.is(await units(), 1)
  },
)
s(
  'whatever was said of it before, a block is asked for again once it is final [attack/recheck-final]',
  async () => {
    const { node, mine, headNumber, payIn, payNext, pass, units, countOpen } = await payOften(1)
    const real = headNumber()
    mine()
    const gone = { ...node.chain.head(), hash: wordOf(77) }
    await payIn(gone)
    await payNext()
    await pass({ [gone.number]: gone.hash })
    await pass({ [gone.number]: gone.hash })
    assert.equal(await pass(), [headNumber()])
    for (let left = finalDepth - 1; left > 0; left -= 1) mine()
    assert.equal([await pass(), await units()], [[gone.number + 1, gone.number, real], 2])
    assert.is(await countOpen(), 1)
  },
)
s.run()
