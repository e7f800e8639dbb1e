import { mock } from 'node:test'
import { createClient, custom, type Hex, numberToHex, type RpcLog, RpcRequestError } from 'viem'
import { bloomOf } from '../../../fixtures/nodes/mainnet/bloom.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import type { BlockRange } from '../../chain/nodes/refusal.ts'
import { type LogPart, readLogPart } from './rangeLogs.ts'

type Filter = { readonly fromBlock: Hex; readonly toBlock: Hex }
const address = numberToHex(1, { size: 20 })

/** A node with two logs in each block, the later one first, that gives so many blocks at once. */
function createNode({
  most,
  message,
}: {
  most: number | ((from: number) => number)
  message: string
}) {
  let asked = 0
  const request = async ({ params: [{ fromBlock, toBlock }] }: { params: [Filter] }) => {
    asked += 1
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    if (to - from + 1 > (typeof most === 'number' ? most : most(from)))
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
const bounds = { questions: 400, logs: 10_000, data: 10_000_000 }
const range = { filter, fromBlock: 1n, toBlock: 1_000n, bounds }
const places = (part: LogPart) =>
  part.logs.map(({ blockNumber, logIndex }) => 2 * (Number(blockNumber) - 1) + logIndex)
const upTo = (count: number) => Array.from({ length: count }, (_, place) => place)

const s = suite('all logs of many blocks')

for (const [limit, message] of [
  ['names its limit', 'eth_getLogs is limited to 10 block range'],
  ['names no limit', 'block range is too wide'],
] as const)
  s(`come in their order where a node ${limit} [nodes/range-logs]`, async () => {
    const { client } = createNode({ most: 10, message })
    const part = await readLogPart({ client }, range)
    assert.equal(places(part), upTo(2_000))
    assert.is(part.last, 1_000n)
  })

s('have a teller where a block is asked for in parts, too [nodes/range-heard]', async () => {
  const message = 'query returned more than 10000 results'
  const request = async ({ params: [{ address: among }] }: { params: [{ address?: Hex[] }] }) => {
    if (among) return []
    throw new RpcRequestError({ body: {}, error: { code: -32602, message }, url: 'http://node' })
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  const client = createClient({ chain: toViemChain(base), transport })
  const told: BlockRange[] = []
  const heard = (_: object, { from, to }: BlockRange) => void told.push({ from, to })
  const crowd = { emitters: () => [address], namesOf: () => [] }
  await readLogPart({ client, heard }, { ...range, toBlock: 2n, filter: { ...filter, crowd } })
  assert.equal(told, [
    { from: 1n, to: 1n },
    { from: 2n, to: 2n },
  ])
})

s('come by ever wider questions where a node allows it [nodes/range-span]', async () => {
  const { client, asked } = createNode({ most: 10_000, message: '' })
  const far = { ...range, toBlock: 100_000n, bounds: { ...bounds, logs: 1_000_000 } }
  const part = await readLogPart({ client }, far)
  assert.is(part.logs.length, 200_000)
  // Of 2,000 logs each, once so much is known.
  assert.is(part.span.blocks, 1_000)
  // Each of the wide ones twice.
  assert.ok(asked() < 240, `${asked()} questions`)
})

s('of ten minutes take a few questions where a node bounds none [nodes/range-first]', async () => {
  const { client, asked } = createNode({ most: 10_000, message: '' })
  const part = await readLogPart({ client }, { ...range, toBlock: 2_400n })
  assert.is(part.last, 2_400n)
  // One of 32 blocks tells how many have logs enough; each twice.
  assert.is(asked(), 2 * (1 + Math.ceil(2_368 / 512)))
})

s('come as far as one part reaches, and the next goes on there [nodes/range-logs]', async () => {
  const { client, asked } = createNode({ most: 10, message: 'block range is too wide' })
  const small = { ...range, bounds: { ...bounds, questions: 40 } }
  const first = await readLogPart({ client }, small)
  const before = asked()
  assert.ok(first.last < 1_000n)
  assert.equal(places(first), upTo(2 * Number(first.last)))
  const goesOn = { fromBlock: first.last + 1n, span: first.span, bounds }
  const second = await readLogPart({ client }, { ...range, ...goesOn })
  assert.equal([...places(first), ...places(second)], upTo(2_000))
  // What was learned is not learned again.
  assert.ok(asked() - before <= Math.ceil((1_000 - Number(first.last)) / first.span.blocks))
  const full = createNode({ most: 1_000, message: '' })
  const few = { ...bounds, logs: 600 }
  const part = await readLogPart(full, { ...range, toBlock: 100_000n, bounds: few })
  assert.is(part.logs.length, 2 * (32 + 8 * 512))
})

s('come up to where the node fails, and what is beyond does not [nodes/range-fails]', async () => {
  const { client } = createNode({ most: 1_000, message: '' })
  const request = client.request
  const failing = {
    ...client,
    request: (call: { params: [Filter] }) =>
      Number(call.params[0].fromBlock) === 545
        ? Promise.reject(new Error('gone'))
        : request(call as never),
  } as typeof client
  const part = await readLogPart({ client: failing }, range)
  assert.is(part.last, 544n)
  assert.equal(places(part), upTo(1_088))
})

s('come whole again where a crowded place was refused [nodes/range-span]', async () => {
  const { client, asked } = createNode({
    most: (from) => (from < 2_000 && from > 1_000 ? 20 : 10_000),
    message: 'query returned more than 10000 results',
  })
  const far = { ...range, toBlock: 50_000n, bounds: { ...bounds, logs: 1_000_000 } }
  const part = await readLogPart({ client }, far)
  assert.is(part.logs.length, 100_000)
  assert.ok(part.span.blocks > 500, `${part.span.blocks} blocks`)
  assert.ok(asked() < 600, `${asked()} questions`)
})

s('come once, where a part of an answer could not be read [nodes/range-shape]', async () => {
  const log = { address, topics: [], data: '0x', blockNumber: '0x1', logIndex: '0x0' }
  const answers: unknown[] = [[log, null], [log], []]
  const transport = custom({ request: async () => answers.shift() ?? [] }, { retryCount: 0 })
  const client = createClient({ chain: toViemChain(base), transport })
  const span = { blocks: 1_000, most: 1_000, growth: 1 }
  const { logs } = await readLogPart({ client }, { ...range, span })
  assert.is(logs.length, 1)
})

s(
  'come whole where each answer lacks some at first, the shortest too [nodes/range-lacking]',
  async () => {
    const { client } = createNode({ most: 1_000, message: '' })
    const asked = new Set<string>()
    const request = async (call: { params: [Filter] }) => {
      const name = JSON.stringify(call.params)
      if (asked.has(name)) return client.request(call as never)
      asked.add(name)
      return []
    }
    const lacking = { ...client, request } as typeof client
    const part = await readLogPart({ client: lacking }, { ...range, toBlock: 101n })
    assert.equal(places(part), upTo(202))
  },
)

s(
  'are those of one branch where another endpoint stands on another [nodes/range-branch]',
  async () => {
    const { client } = createNode({ most: 1_000, message: '' })
    // Of two logs in a block it gives the later one, and tells of other blocks from the 50th on.
    const request = async (call: { params: [Filter] }) => {
      const logs = (await client.request(call as never)) as readonly RpcLog[]
      return logs.map((log) => ({
        ...log,
        logIndex: numberToHex(Number(log.logIndex) + 2),
        ...(Number(log.blockNumber) >= 50 && { blockHash: '0x1' }),
      }))
    }
    const witness = { ...client, request } as typeof client
    const span = { blocks: 100, most: 100, growth: 1 }
    const part = await readLogPart(
      { client, others: () => [{ client: witness }] },
      { ...range, toBlock: 100n, span },
    )
    assert.equal(new Set(part.logs.map(({ blockHash }) => blockHash)), new Set(['0x']))
    assert.is(part.logs.length, 200)
  },
)

s(
  'wait once for another endpoint that hangs, and for the first instead [nodes/range-hangs]',
  async () => {
    const { client, asked } = createNode({ most: 1_000, message: '' })
    let waiting = 0
    const hang = () => {
      waiting += 1
      if (waiting === 1) setImmediate(() => mock.timers.tick(2_000))
      return new Promise(() => undefined)
    }
    const witness = { ...client, request: hang } as unknown as typeof client
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const part = await readLogPart({ client, others: () => [{ client: witness }] }, range)
      assert.equal(places(part), upTo(2_000))
      assert.is(part.isAskedOnce, true, 'nobody else has said it')
      // All questions are asked twice nevertheless.
      assert.is(waiting, 1)
      assert.is(asked(), 2 * part.asked)
    } finally {
      mock.timers.reset()
    }
  },
)

s('are told once where nobody gives them a second time [nodes/range-refused]', async () => {
  const { client } = createNode({ most: 1_000, message: '' })
  let asked = 0
  const refuse = async () => {
    asked += 1
    throw new Error('gone')
  }
  const witness = { ...client, request: refuse } as unknown as typeof client
  const seen = new Set<string>()
  const request = async (call: { params: [Filter] }) => {
    const name = JSON.stringify(call.params)
    if (seen.has(name)) throw new Error('gone')
    seen.add(name)
    return client.request(call as never)
  }
  const first = { ...client, request } as typeof client
  const part = await readLogPart({ client: first, others: () => [{ client: witness }] }, range)
  assert.equal(places(part), upTo(2_000))
  assert.is(part.isAskedOnce, true)
  assert.is(asked, 1)
})

s(
  'are not contested by the silence of one that had not their last block yet [nodes/range-level]',
  async () => {
    const { client } = createNode({ most: 1_000, message: '' })
    const toHash = numberToHex(7, { size: 32 })
    for (const [reached, alone] of [
      [1_000, 2_000],
      [999, 0],
    ] as const) {
      let has: number = reached
      const request = async ({ method, params: [number] }: { method: string; params: [Hex] }) => {
        if (method === 'eth_getLogs') {
          has = 1_000
          return []
        }
        if (Number(number) > has) return null
        const hash = Number(number) === 1_000 ? toHash : '0x'
        return { number, hash, parentHash: '0x', timestamp: '0x1', logsBloom: bloomOf([]) }
      }
      const witness = { ...client, request } as unknown as typeof client
      const asked = { ...range, toHash }
      const part = await readLogPart({ client, others: () => [{ client: witness }] }, asked)
      assert.is(part.alone.length, alone)
    }
  },
)

s('end a part where they are long [nodes/range-logs]', async () => {
  const log = { address, topics: [], data: `0x${'00'.repeat(499)}` }
  const request = async ({ params: [{ fromBlock }] }: { params: [Filter] }) =>
    Array.from({ length: 50 }, (_, n) => ({
      ...log,
      blockNumber: fromBlock,
      logIndex: numberToHex(n),
    }))
  const transport = custom({ request: request as never }, { retryCount: 0 })
  const client = createClient({ chain: toViemChain(base), transport })
  const { logs } = await readLogPart({ client }, { ...range, bounds: { ...bounds, data: 20_000 } })
  assert.is(logs.length, 50)
})

s('reject where the node fails: nobody is to go on with a part of them', async () => {
  const { client } = createNode({ most: 0, message: 'no' })
  const error = await readLogPart({ client }, range).catch((reason: unknown) => reason)
  assert.instance(error, Error)
})
s.run()
