import type { Hex } from 'viem'
import {
  settleChainId as chainId,
  openSettlements,
  settlePayer,
  settleStartMs,
} from '../../../fixtures/access/simSettlements.ts'
import { createRandom } from '../../../fixtures/books/random.ts'
import { finalDepth } from '../../../fixtures/books/simChain.ts'
import { wordOf } from '../../../fixtures/books/simTokens.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { proofs } from '../../store/payments.ts'
import { createKey } from '../issueKeys.ts'
import type { AccessChain } from './accessConfig.ts'
import { recheckPayments } from './recheckPayments.ts'

/** Which blocks of payments a node is asked for. */
const s = suite('access/recheckBlocks')

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

s('of more payments than a pass looks at, too [17/recheck-rounds]', async () => {
  const { headNumber, payIn, payNext, pass } = await payOften(0)
  for (let block = 0; block < 50; block += 1) {
    await payNext()
    for (let more = 0; more < 4; more += 1) await payIn()
  }
  const newest = headNumber()
  const counts: number[] = []
  for (let passes = 0; passes < 4; passes += 1) counts.push((await pass()).length)
  assert.equal([counts, await pass(), await pass()], [[40, 10, 40, 10], [newest - 10], [newest]])
})

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
