import { numberToHex } from 'viem'
import {
  settleChainId as chainId,
  openSettlements,
  settlePayer,
  settleStartMs,
} from '../../../fixtures/access/simSettlements.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { proofs } from '../../store/payments.ts'
import { createKey } from '../issueKeys.ts'
import { recheckPayments } from './recheckPayments.ts'

/** More payments than a pass looks at, of which the chain decides none. */
const s = suite('access/recheckTurns')
const hashOf = (index: number) => numberToHex(index + 1, { size: 32 })
const count = 450

async function open() {
  const { deps, mine } = openSettlements(() => settleStartMs)
  for (let block = 0; block < 3; block += 1) mine()
  const [chain] = deps.chains
  if (!chain) throw new Error('there is no chain')
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  const { payments } = deps.store
  const blocks = Array.from({ length: count }, (_, index) => ({
    chainId,
    txHash: hashOf(index),
    blockNumber: 1n,
    blockHash: hashOf(count),
  }))
  for (const block of blocks) {
    const paid = { payer: settlePayer, amount: 1_000n, quotes: 1, proof: proofs.settled }
    const payment = { ...paid, logIndex: 0, source: keyId }
    await payments.credit({ ...block, keyId, atMs: settleStartMs, payments: [payment] })
  }
  return { deps, chain, blocks, payments }
}

s(
  'what is lost has its turn, whatever becomes of what was lost before [17/lost-turns]',
  async () => {
    const { deps, chain, blocks, payments } = await open()
    for (const block of blocks)
      await payments.orphan({ ...block, headBlock: 2n, atMs: settleStartMs })
    const asked: unknown[] = []
    let untilBroken = Number.POSITIVE_INFINITY
    const { request } = chain.client
    Object.assign(chain.client, {
      request: async (call: { method: string; params?: readonly unknown[] }) => {
        const [hash] = call.params ?? []
        if (call.method === 'eth_getTransactionReceipt') asked.push(hash)
        return request(call as never)
      },
    })
    const find = deps.store.keys.find
    const store = {
      ...deps.store,
      keys: {
        ...deps.store.keys,
        find: async (id: string) => {
          untilBroken -= 1
          if (untilBroken === 0) throw new Error('out of order')
          return find(id)
        },
      },
    }
    const pass = () => recheckPayments({ ...deps, store }, { chain })
    for (let passes = 0; passes < 3; passes += 1) await pass()
    assert.is(new Set(asked).size, count)
    // Where a pass breaks off the next goes on: one that always fails keeps none from its turn.
    asked.length = 0
    untilBroken = 10
    for (let passes = 0; passes < 4; passes += 1) await pass().catch(() => undefined)
    assert.is(new Set(asked).size, count - 1)
  },
)

s(
  'what is open has its turn, whatever becomes of what was paid before [17/open-turns]',
  async () => {
    const { deps, chain, payments } = await open()
    const seen = new Set<string>()
    const listOpen: typeof payments.listOpen = async (asked) => {
      const listed = await payments.listOpen(asked)
      for (const { txHash } of listed) seen.add(txHash)
      return listed
    }
    const store = { ...deps.store, payments: { ...payments, listOpen } }
    const unread = async () => Promise.reject(new Error('the node has let go of it'))
    const { request } = chain.client
    Object.assign(chain.client, {
      request: async (call: { method: string; params?: readonly unknown[] }) =>
        call.params?.[0] === '0x1' ? unread() : request(call as never),
    })
    for (let passes = 0; passes < 3; passes += 1)
      await recheckPayments({ ...deps, store }, { chain })
    assert.is(seen.size, count)
  },
)

s.run()
