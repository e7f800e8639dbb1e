import { createClient, custom, numberToHex, pad, zeroHash } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import { toViemChain } from '../chain/client.ts'
import { proveNonce } from './proveNonce.ts'

/** Beside nodes that are lists; `relay/nonceGap.fork.test.ts` asks real ones. */
const s = suite('proveNonce')
const chain = toViemChain(base)
const [signer, stranger] = [pad('0x1', { size: 20 }), pad('0x2', { size: 20 })]
const hash = pad('0x77')

type Node = {
  /** Blocks that used a nonce of the signer, in the order of the nonces. */
  readonly used: readonly number[]
  readonly head?: number
  /** What it counts at first, however many were used. */
  readonly says?: number
  readonly from?: typeof signer
  readonly receiptFrom?: typeof signer
  readonly receiptBlock?: typeof hash
  /** Below this block it has no state. */
  readonly keeps?: number
}

function open({ used, head = 1_000, says, from = signer, ...node }: Node) {
  const asked: number[] = []
  let isFirst = true
  const count = (block: string) => {
    if (block === 'latest') {
      const claimed = isFirst ? says : undefined
      isFirst = false
      return claimed ?? used.length
    }
    const number = Number(block)
    asked.push(number)
    if (number < (node.keeps ?? 0)) throw new Error('missing trie node')
    return used.filter((at) => at <= number).length
  }
  const toBlock = (number: number, isWhole: boolean) => {
    const nonce = used.indexOf(number)
    const others = [
      { hash: zeroHash, from: stranger, nonce: numberToHex(Math.max(nonce, 0)), type: '0x2' },
      { hash: zeroHash, from: signer, nonce: numberToHex(1_000), type: '0x2' },
    ]
    const own = { hash, from, nonce: numberToHex(nonce), type: '0x2' }
    return {
      hash: pad(numberToHex(number)),
      number: numberToHex(number),
      transactions: (nonce < 0 ? others : [...others, own]).map((each) =>
        isWhole ? each : each.hash,
      ),
    }
  }
  const request = async ({ method, params }: { method: string; params: readonly unknown[] }) => {
    if (method === 'eth_blockNumber') return numberToHex(head)
    if (method === 'eth_getTransactionCount') return numberToHex(count(String(params[1])))
    if (method === 'eth_getBlockByNumber') return toBlock(Number(params[0]), params[1] === true)
    assert.equal([method, params[0]], ['eth_getTransactionReceipt', hash])
    const blockNumber = used.at(-1) ?? 0
    return {
      blockHash: node.receiptBlock ?? pad(numberToHex(blockNumber)),
      from: node.receiptFrom ?? signer,
    }
  }
  const transport = custom({ request }, { retryCount: 0 })
  return { asked, client: createClient({ chain, transport }) }
}

/** A book that knows of one nonce, asked by a node that claims `claimed`. */
async function prove(claimed: number, node: Node, known = 1) {
  const { client, asked } = open(node)
  return { proven: await proveNonce({ client }, { signer, claimed, known }), asked }
}

s('a claim that our book knows needs no proof, one above it does [teeth/prove-nonce]', async () => {
  for (const claimed of [0, 1]) {
    const { proven } = await prove(claimed, { used: [] })
    assert.is(proven, claimed)
  }
  assert.is((await prove(2, { used: [] })).proven, 0)
})
s(
  'of several nodes the second highest is the most that is believed [teeth/prove-nonce]',
  async () => {
    const ask = async (claimed: number, counts: readonly number[]) => {
      const clients = counts.map((says) => open({ used: [], says }).client)
      const [client = open({ used: [] }).client] = clients
      return proveNonce({ client, witnesses: clients }, { signer, claimed, known: 1 })
    }
    assert.is(await ask(5, [5, 3]), 3)
    assert.is(await ask(5, [5, 5]), 5)
    assert.is(await ask(5, [9, 7, 2]), 5)
    assert.is(await ask(5, [5]), 0)
  },
)
s(
  'of several nodes the only one that answers needs a receipt, also for an empty book [teeth/prove-nonce]',
  async () => {
    const silent = createClient({
      chain,
      transport: custom({ request: () => Promise.reject(new Error('down')) }, { retryCount: 0 }),
    })
    const ask = (node: Node) => {
      const { client } = open(node)
      const asked = { signer, claimed: 2, known: 0 }
      return proveNonce({ client, witnesses: [open(node).client, silent] }, asked)
    }
    assert.is(await ask({ used: [10, 20] }), 2)
    assert.is(await ask({ used: [10, 20], keeps: 950 }), undefined)
  },
)
s('a node that counts lower when asked again has taken it back [teeth/prove-nonce]', async () => {
  assert.is((await prove(4, { used: [10, 20], says: 3 })).proven, 3)
  // As many as claimed need a receipt, where the book is not empty.
  assert.is((await prove(3, { used: [10, 20], says: 3 })).proven, undefined)
  assert.is((await prove(3, { used: [10, 20], says: 3 }, 0)).proven, 3)
})
s('finds the block that used the last nonce, however old it is [teeth/prove-nonce]', async () => {
  for (const last of [2, 3, 500, 996, 998, 999, 1_000]) {
    const { proven, asked } = await prove(2, { used: [1, last] })
    assert.is(proven, 2, `block ${last}`)
    assert.ok(asked.length <= 21, `${asked.length} counts for block ${last}`)
  }
  assert.is((await prove(2, { used: [0, 0] })).proven, undefined)
  // A late one is near the head.
  assert.equal((await prove(2, { used: [1, 996] })).asked, [1_000, 999, 997, 993, 995, 996])
})
s('believes no receipt of another block or sender, nor a node without state', async () => {
  const used = [100, 900]
  assert.is((await prove(2, { used })).proven, 2)
  assert.is((await prove(2, { used, receiptBlock: zeroHash })).proven, undefined)
  assert.is((await prove(2, { used, receiptFrom: stranger })).proven, undefined)
  assert.is((await prove(2, { used, from: stranger })).proven, undefined)
  assert.is((await prove(2, { used, keeps: 950 })).proven, undefined)
})
s.run()
