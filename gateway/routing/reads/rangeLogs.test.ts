import { createClient, custom, type Hex, numberToHex, RpcRequestError } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { readRangeLogs } from './rangeLogs.ts'

type Filter = { readonly fromBlock: Hex; readonly toBlock: Hex }
const address = numberToHex(1, { size: 20 })

/** A node with two logs in each block, the later one first, that gives so many blocks at once. */
function createNode({ most, message }: { most: number; message: string }) {
  let asked = 0
  const request = async ({ params: [{ fromBlock, toBlock }] }: { params: [Filter] }) => {
    asked += 1
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    if (to - from + 1 > most)
      throw new RpcRequestError({ body: {}, error: { code: -32602, message }, url: 'http://node' })
    return Array.from({ length: 2 * (to - from + 1) }, (_, n) => ({
      address,
      topics: [],
      data: '0x',
      blockNumber: numberToHex(from + (n >> 1)),
      blockHash: '0x',
      logIndex: numberToHex(1 - (n % 2)),
    }))
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  return { client: createClient({ chain: toViemChain(base), transport }), asked: () => asked }
}
const filter = { topics: [], addresses: undefined }
const range = { filter, fromBlock: 1n, toBlock: 1_000n, mostQuestions: 400, mostLogs: 10_000 }

const s = suite('all logs of many blocks')

for (const [limit, message] of [
  ['names its limit', 'eth_getLogs is limited to 10 block range'],
  ['names no limit', 'block range is too wide'],
] as const)
  s(`come in their order where a node ${limit} [nodes/range-logs]`, async () => {
    const { client } = createNode({ most: 10, message })
    const logs = await readRangeLogs({ client }, range)
    const places = logs?.map(
      ({ blockNumber, logIndex }) => 2 * (Number(blockNumber) - 1) + logIndex,
    )
    assert.equal(
      places,
      Array.from({ length: 2_000 }, (_, place) => place),
    )
  })

s('come at once where a node allows it', async () => {
  const { client, asked } = createNode({ most: 10_000, message: '' })
  assert.is((await readRangeLogs({ client }, range))?.length, 2_000)
  assert.is(asked(), 1)
})

s(
  'are given up where they take too many questions, or are too many [nodes/range-logs]',
  async () => {
    const slow = createNode({ most: 1, message: 'block range is too wide' })
    assert.is(await readRangeLogs(slow, range), undefined)
    assert.ok(slow.asked() <= range.mostQuestions + 8)
    const full = createNode({ most: 1_000, message: '' })
    assert.is(await readRangeLogs(full, { ...range, mostLogs: 1_999 }), undefined)
  },
)

s('come once, where a part of an answer could not be read [nodes/range-shape]', async () => {
  const log = { address, topics: [], data: '0x', blockNumber: '0x1', logIndex: '0x0' }
  const answers: unknown[] = [[log, null], [log], []]
  const transport = custom({ request: async () => answers.shift() }, { retryCount: 0 })
  const client = createClient({ chain: toViemChain(base), transport })
  assert.is((await readRangeLogs({ client }, range))?.length, 1)
})

s('are given up where they are too long, and nothing more of them is kept', async () => {
  let taken = 0
  const log = {
    get address() {
      taken += 1
      return address
    },
    topics: [],
    data: `0x${'00'.repeat(499)}`,
    blockNumber: '0x1',
    logIndex: '0x0',
  }
  const full = { asked: 0 }
  const request = async ({ params: [{ fromBlock, toBlock }] }: { params: [Filter] }) => {
    full.asked += 1
    const error = { code: -32602, message: 'block range is too wide' }
    if (Number(toBlock) - Number(fromBlock) >= 125)
      throw new RpcRequestError({ body: {}, error, url: 'http://node' })
    return Array.from({ length: 50 }, () => log)
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  const client = createClient({ chain: toViemChain(base), transport })
  assert.is(await readRangeLogs({ client }, { ...range, mostDataOfAll: 20_000 }), undefined)
  assert.is(taken, 50)
})

s('reject where the node fails: nobody is to go on with a part of them', async () => {
  const { client } = createNode({ most: 0, message: 'no' })
  const error = await readRangeLogs({ client }, range).catch((reason: unknown) => reason)
  assert.instance(error, Error)
})
s.run()
