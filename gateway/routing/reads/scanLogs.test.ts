import { createClient, custom, type Hex, numberToHex, RpcRequestError, zeroAddress } from 'viem'
import { startNode } from '../../../fixtures/nodes/start/startNode.ts'
import { createTinyChain } from '../../../fixtures/nodes/testing/createTinyChain.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getChain } from '../../chain/chains.ts'
import { createChainClient, toViemChain } from '../../chain/client.ts'
import { scanLogs } from './scanLogs.ts'

type Filter = { readonly fromBlock: Hex; readonly toBlock: Hex }

/** A node that gives so many blocks at once, and one log per block. */
function createNode({ most, refusal }: { most: number; refusal: (asked: number) => string }) {
  const asked: number[] = []
  const request = async ({ params: [{ fromBlock, toBlock }] }: { params: [Filter] }) => {
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    const span = to - from + 1
    asked.push(span)
    if (span <= most)
      return Array.from({ length: span }, (_, n) => ({ topics: [], data: numberToHex(from + n) }))
    const error = { code: -32602, message: refusal(span) }
    throw new RpcRequestError({ body: {}, error, url: 'http://node' })
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  return { asked, client: createClient({ chain: toViemChain(base), transport }) }
}
const scan = { address: zeroAddress, topics: [], fromBlock: 1n, toBlock: 1_000n }

const s = suite('logs of many blocks')

for (const [who, most, refusal, requests] of [
  ['names its limit', 100, () => 'eth_getLogs is limited to 100 block range', 11],
  ['names no limit', 100, () => 'block range is too wide', 31],
  ['names the range that it refuses', 300, (n: number) => `range ${n} exceeds limit of ${n}`, 6],
] as const)
  s(`are read in parts that the node allows, where it ${who} [nodes/log-range]`, async () => {
    const { client, asked } = createNode({ most, refusal })
    const { logs, isWhole } = await scanLogs({ client }, { ...scan, mostRequests: 100 })
    assert.equal(
      logs.map(({ data }) => Number(data)),
      Array.from({ length: 1_000 }, (_, n) => n + 1),
    )
    assert.ok(isWhole)
    assert.is(asked.length, requests)
    assert.is((await scanLogs({ client }, { ...scan, mostRequests: 3 })).isWhole, false)
  })

s(
  'are read behind an endpoint that says of a wide range that no node is there, which is learned once [nodes/wide-logs]',
  async () => {
    const upstream = createTinyChain({ head: 50_000, logsPerBlock: 0 })
    await using node = await startNode({ profile: 'base-public', upstream, speed: 100 })
    const chain = getChain(8453)
    if (!chain) throw new Error('chain 8453 is built in')
    const chainClient = createChainClient({ chain, rpcUrls: [node.url] })
    const range = { ...scan, toBlock: 40_000n, mostRequests: 100 }
    const read = () => scanLogs(chainClient, range)
    const refusedRanges = () =>
      Object.entries(node.counters().refusedCalls)
        .filter(([words]) => /-32011|-32602/.test(words))
        .reduce((sum, [, count]) => sum + count, 0)
    try {
      assert.ok((await read()).isWhole)
      assert.is(chainClient.limits()[0]?.logBlocks, 2_000)
      // From 40,000 blocks by halves to 10,000, of which the node says that 2,000 are the most.
      assert.is(refusedRanges(), 3)
      assert.ok((await read()).isWhole)
      assert.is(refusedRanges(), 3)
    } finally {
      chainClient.close()
    }
  },
)

s('are asked for where it gives more than hardly any of them [nodes/scan-short]', async () => {
  const refusal = () => 'eth_getLogs is limited to 10 block range'
  const { client, asked } = createNode({ most: 10, refusal })
  const long = await scanLogs({ client }, { ...scan, toBlock: 100_000n })
  assert.equal([long, asked], [{ logs: [], isWhole: false }, [100_000]])
  const short = await scanLogs({ client }, { ...scan, toBlock: 60n })
  assert.equal([short.logs.length, short.isWhole], [60, true])
})

s('are not asked for where they reach less than is of use [nodes/scan-reach]', async () => {
  const refusal = () => 'eth_getLogs is limited to 10000 block range'
  const { client, asked } = createNode({ most: 10_000, refusal })
  const far = { ...scan, toBlock: 1_000_000n, leastReach: 100_000n }
  assert.equal(await scanLogs({ client }, far), { logs: [], isWhole: false })
  assert.is(asked.length, 1)
})

s('and then for as many as the requests reach [nodes/scan-short-reach]', async () => {
  const refusal = () => 'eth_getLogs is limited to 150 block range'
  const { client, asked } = createNode({ most: 150, refusal })
  const { logs, isWhole } = await scanLogs({ client }, { ...scan, toBlock: 100_000n })
  assert.equal([logs.length, isWhole, asked.length], [2_250, false, 16])
})

s('are given up where the node says no for another reason', async () => {
  const { client, asked } = createNode({ most: 0, refusal: () => 'no' })
  assert.equal(await scanLogs({ client }, scan), { logs: [], isWhole: false })
  assert.ok(asked.length <= 16)
})

const log = { topics: [], data: '0x' }
for (const [what, answer] of [
  ['null', null],
  ['no list', { logs: [log] }],
  ['a list of something else', [log, null]],
  ['topics that are none', [{ ...log, topics: ['0x1'] }]],
  ['data that is none', [{ ...log, data: 7 }]],
] as const)
  s(
    `are none, and not the whole of it, where the node answers ${what} [nodes/log-shape]`,
    async () => {
      const transport = custom({ request: async () => answer }, { retryCount: 0 })
      const client = createClient({ chain: toViemChain(base), transport })
      assert.equal(await scanLogs({ client }, scan), { logs: [], isWhole: false })
    },
  )

s(
  'are had of another endpoint, once, where the first tells of none [nodes/scan-elsewhere]',
  async () => {
    const refusal = () => 'eth_getLogs is limited to 100 block range'
    const whole = createNode({ most: 1_000, refusal })
    const narrow = createNode({ most: 100, refusal })
    const some = createNode({ most: 1_000, refusal })
    let asked = 0
    const request = async () => {
      asked += 1
      return []
    }
    const empty = { ...whole.client, request } as unknown as typeof whole.client
    const others = ({ client }: { readonly client: typeof empty }) => ({
      others: () => [{ client }],
    })
    const found = await scanLogs({ client: empty, ...others(whole) }, scan)
    // Whoever makes them up has no more looked into.
    assert.equal([found.logs.length, found.isWhole], [256, false])
    const few = await scanLogs({ client: empty, ...others(whole) }, { ...scan, toBlock: 256n })
    assert.equal([few.logs.length, few.isWhole], [256, true])
    // What it refuses it has not borne out.
    const none = await scanLogs({ client: empty, ...others(narrow) }, scan)
    assert.equal(none, { logs: [], isWhole: false })
    const told = await scanLogs({ client: some.client, ...others(whole) }, scan)
    assert.equal([told.logs.length, told.isWhole], [1_000, true])
    const spans = [whole.asked, narrow.asked, some.asked]
    assert.equal([...spans, asked], [[1_000, 256], [1_000], [1_000], 3])
  },
)

s('are more than a call takes arguments [nodes/log-flood]', async () => {
  const many = Array.from({ length: 300_000 }, () => log)
  const transport = custom({ request: async () => many }, { retryCount: 0 })
  const client = createClient({ chain: toViemChain(base), transport })
  assert.is((await scanLogs({ client }, scan)).logs.length, many.length)
})
s.run()
