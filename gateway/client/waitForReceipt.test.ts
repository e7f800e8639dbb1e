import { createClient, custom, type Hex } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { waitForReceipt } from './index.ts'

const s = suite('waiting for a receipt')
const hash: Hex = `0x${'ab'.repeat(32)}`
const other: Hex = `0x${'cd'.repeat(32)}`
const transaction = { hash, from: `0x${'11'.repeat(20)}`, nonce: '0x7', type: '0x2', value: '0x0' }
const receipt = { transactionHash: hash, blockNumber: '0x2', status: '0x1', logs: [], type: '0x2' }

/** A node of a chain with one block; answers in the order in which they are asked for, the last again and again. */
function createNode(answers: Readonly<Record<string, readonly unknown[]>>) {
  const asked = new Map<string, number>()
  return createClient({
    pollingInterval: 2,
    transport: custom({
      async request({ method, params }: { readonly method: string; readonly params?: unknown }) {
        const about = `${method} ${JSON.stringify(params)}`
        const key = about in answers ? about : method
        const all = answers[key] ?? []
        const at = asked.get(key) ?? 0
        asked.set(key, at + 1)
        return all[Math.min(at, all.length - 1)]
      },
    }),
  })
}
const block = { number: '0x2', transactions: [] as readonly object[] }
const pending = {
  eth_blockNumber: ['0x2'],
  eth_getTransactionByHash: [transaction],
  eth_getTransactionReceipt: [null, null, null, receipt],
  eth_getBlockByNumber: [block],
}
const wanted = { hash, timeout: 60_000 }

s('sees a receipt that comes without a new block [client/receipt]', async () => {
  const { status, transactionHash } = await waitForReceipt(createNode(pending), wanted)
  assert.equal([status, transactionHash], ['success', hash])
})
s('passes over no block that is made while it looks at the last [client/receipt]', async () => {
  const instead = { ...transaction, hash: other, to: `0x${'22'.repeat(20)}` }
  const node = createNode({
    ...pending,
    eth_blockNumber: ['0x2', '0x3'],
    eth_getTransactionReceipt: [null],
    [`eth_getTransactionReceipt ["${other}"]`]: [{ ...receipt, transactionHash: other }],
    // A node that takes its time.
    eth_getBlockByNumber: [
      new Promise((resolve) => setTimeout(resolve, 50, block)),
      { ...block, transactions: [instead] },
    ],
  })
  assert.is((await waitForReceipt(node, wanted)).transactionHash, other)
})
s('sees what was mined in its place, and asks again what failed [client/receipt]', async () => {
  const replaced: string[] = []
  const instead = { ...transaction, hash: other, to: `0x${'22'.repeat(20)}` }
  const node = createNode({
    ...pending,
    eth_blockNumber: [undefined, '0x2', '0x2', '0x3'],
    eth_getTransactionReceipt: [null],
    [`eth_getTransactionReceipt ["${other}"]`]: [{ ...receipt, transactionHash: other }],
    eth_getBlockByNumber: [block, { ...block, transactions: [instead] }],
  })
  const onReplaced = ({ reason }: { readonly reason: string }) => replaced.push(reason)
  const { transactionHash } = await waitForReceipt(node, { ...wanted, onReplaced })
  assert.equal([transactionHash, replaced], [other, ['replaced']])
})
s.run()
