import { createClient, custom, numberToHex, pad } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { readConfirmedReceipt } from './readConfirmedReceipt.ts'
import { readFinalNumber } from './readFinalNumber.ts'

/** Beside a node that is a table; `claimQuota.fork.test.ts` asks a real one. */
const s = suite('readConfirmedReceipt')
const hash = pad('0x77')
const mined = 100

type Node = {
  readonly head?: number
  readonly final?: number | undefined
  /** Of the block that stands there now. */
  readonly blockHash?: typeof hash
  readonly has?: 'receipt' | 'transaction' | 'nothing'
  /** Whose receipt is answered. */
  readonly of?: typeof hash
  readonly isDown?: boolean
}
function open(node: Node) {
  const { head = mined, final = mined, blockHash = pad('0x64'), has = 'receipt' } = node
  let asked = 0
  const toBlock = (number: number | undefined) =>
    number === undefined ? null : { number: numberToHex(number), hash: blockHash, transactions: [] }
  const request = async ({ method, params }: { method: string; params: readonly unknown[] }) => {
    asked += 1
    if (node.isDown) throw new TypeError('away')
    if (method === 'eth_blockNumber') return numberToHex(head)
    if (method === 'eth_getBlockByNumber')
      return toBlock(params[0] === 'finalized' ? ('final' in node ? node.final : final) : mined)
    if (method === 'eth_getTransactionByHash')
      return has === 'nothing' ? null : { hash, type: '0x2' }
    if (has !== 'receipt') return null
    const place = { blockHash: pad('0x64'), blockNumber: numberToHex(mined) }
    return { transactionHash: node.of ?? hash, ...place }
  }
  const transport = custom({ request }, { retryCount: 0 })
  const chain = {
    chainId: base.chainId,
    client: createClient({ chain: toViemChain(base), transport }),
  }
  return { chain, asked: () => asked }
}
async function read(node: Node, confirmations = 3) {
  const reading = await readConfirmedReceipt(open(node).chain, { hash, confirmations })
  return reading.status === 'confirmed' ? { ...reading, receipt: undefined } : reading
}
const pending = (confirmations: number) => ({ status: 'pending', confirmations })

s('counts blocks with its own, and never fewer than none [teeth/receipts]', async () => {
  const confirmed = { status: 'confirmed', receipt: undefined, isFinal: true }
  assert.equal(await read({ head: 102 }), confirmed)
  assert.equal(await read({ head: 101 }), pending(2))
  assert.equal(await read({ head: 99 }), pending(0))
  assert.equal(await read({ head: 98 }), pending(0))
})
s('is final once its block is, not one before [teeth/receipts]', async () => {
  for (const [final, isFinal] of [
    [mined, true],
    [mined + 1, true],
    [mined - 1, false],
    [undefined, false],
  ] as const)
    assert.equal(await read({ head: 102, final }), {
      status: 'confirmed',
      receipt: undefined,
      isFinal,
    })
})
s('believes no receipt of a block that stands there no more [teeth/receipts]', async () => {
  assert.equal(await read({ head: 200, blockHash: pad('0x65') }), pending(0))
})
s('tells what waits from what is unknown, and from silence [teeth/receipts]', async () => {
  assert.equal(await read({ of: pad('0x78') }), { status: 'unknown' })
  assert.equal(await read({ has: 'transaction' }), pending(0))
  assert.equal(await read({ has: 'nothing' }), { status: 'unknown' })
  assert.is((await read({ isDown: true })).status, 'unreachable')
})
s('reads once for who ask at once [teeth/receipts]', async () => {
  const { chain, asked } = open({ head: 102 })
  const ask = () => readConfirmedReceipt(chain, { hash, confirmations: 3 })
  const [one, same] = await Promise.all([ask(), ask()])
  assert.is(one?.status, 'confirmed')
  assert.is(same, one)
  assert.is(asked(), 4)
  await ask()
  assert.is(asked(), 8)
})
s('a chain without a final block has none, one that is away says so [teeth/receipts]', async () => {
  assert.is(await readFinalNumber(open({ final: 7 }).chain), 7n)
  assert.is(await readFinalNumber(open({ final: undefined }).chain), -1n)
  const said = await readFinalNumber(open({ isDown: true }).chain).catch(() => 'away')
  assert.is(said, 'away')
})
s.run()
