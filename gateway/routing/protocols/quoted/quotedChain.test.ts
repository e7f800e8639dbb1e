import { type Address, decodeFunctionData, encodeFunctionResult, type Hex, pad, toHex } from 'viem'
import { quoteLens } from '../../../../contracts/artifacts.ts'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { getChain, getDexes } from '../../../chain/chains.ts'
import { createChainClient } from '../../../chain/client.ts'
import { gridSize } from './quoted.ts'
import { createQuotedFamily, type QuotedRecord } from './quotedChain.ts'

const s = suite('samples of quoted pools')
const chain = getChain(8453)
const dexes = getDexes(8453).slice(0, 1)
if (!chain) throw new Error('chain 8453 is built in')
const { client } = createChainClient({ chain, rpcUrls: ['http://127.0.0.1:9'] })
const tokens = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const

let nowMs = 1_000_000
let blockNumber = 1n
/** Pools whose quoters were asked, in order; every answer differs from the one before. */
const asked: Address[] = []
/** A node that has nothing but quoters, whose prices move with each block. */
const request = async ({ params }: { readonly params: readonly [{ data: Hex }] }) => {
  const { args } = decodeFunctionData({ abi: quoteLens.abi, data: params[0].data })
  const [directions] = args as unknown as [readonly { readonly target: Address }[]]
  asked.push(...directions.map(({ target }) => target.toLowerCase() as Address))
  const output = pad(toHex(10n ** 9n + blockNumber), { size: 32 })
  const answers = Array.from({ length: gridSize }, () => output)
  return encodeFunctionResult({
    abi: quoteLens.abi,
    functionName: 'sample',
    result: directions.map(() => ({ burnt: false, held: 10n ** 24n, answers })),
  })
}
const deps = { client: { ...client, request } as unknown as typeof client }
const family = createQuotedFamily(
  {
    protocol: 'woofi',
    creations: [],
    topics: [],
    stepGas: () => 1,
    find: async () => [],
    readTokens: async (_, { pools }) => pools.map(() => tokens),
    quoter: {
      question: ({ address }, { amountIn }) => ({
        target: address,
        data: pad(toHex(amountIn), { size: 32 }),
      }),
      readAnswer: ([amountOut]) => amountOut,
    },
    encodeStep: ({ address }) => ({ kind: stepKinds.woofi, pool: address, data: '0x' }),
  },
  { now: () => nowMs },
)
const pools = dexes.flatMap((dex) =>
  Array.from({ length: 6 }, (_, k) => ({ dex, address: `0x${String(k + 3).repeat(40)}` as const })),
)

/** A block later: the records as the sync makes them of what is told anew, and the pools asked about. */
async function pass(records: readonly QuotedRecord[], ms: number) {
  nowMs += ms
  blockNumber += 1n
  asked.length = 0
  const fields = await family.refresh?.(deps, { records, dexes, blockNumber })
  const next = records.map((record) => ({ ...record, ...fields?.get(record.id) }) as QuotedRecord)
  return { records: next, asked: [...new Set(asked)] }
}

s('are taken again after ten seconds, some pools a block, and every pool in its turn', async () => {
  const loaded = await family.load(deps, { pools, blockNumber })
  assert.is(loaded.length, pools.length)
  const soon = await pass(loaded, 9_000)
  assert.equal(soon.asked, [])
  const first = await pass(soon.records, 2_000)
  const second = await pass(first.records, 2_000)
  assert.equal(
    [...first.asked, ...second.asked],
    pools.map(({ address }) => address),
  )
  const third = await pass(second.records, 2_000)
  assert.equal(third.asked, [])
  const again = await pass(third.records, 8_000)
  assert.equal(again.asked, first.asked)
})

s.run()
