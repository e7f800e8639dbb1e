import { type Address, decodeFunctionData, encodeFunctionResult, type Hex, pad, toHex } from 'viem'
import { quoteLens } from '../../../../contracts/artifacts.ts'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { getChain, getDexes } from '../../../chain/chains.ts'
import { createChainClient } from '../../../chain/client.ts'
import { listGrid } from './quoted.ts'
import { createQuotedFamily, type QuotedRecord } from './quotedChain.ts'

const s = suite('samples of quoted pools')
const chain = getChain(8453)
const dexes = getDexes(8453).slice(0, 1)
if (!chain) throw new Error('chain 8453 is built in')
const { client } = createChainClient({ chain, rpcUrls: ['http://127.0.0.1:9'] })
const tokens = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const

let nowMs = 1_000_000
let blockNumber = 1n
type Direction = {
  readonly target: Address
  readonly token: Address
  readonly held: bigint
}
const whole = 10n ** 18n
/** What every pool holds of either token; a quoter sells for double the amount, as far as that reaches. */
const balances = new Map<Address, bigint>()
/** What quoters were asked about, in order. */
const asked: Direction[] = []
/** A node that has nothing but quoters. */
const request = async ({ params }: { readonly params: readonly [{ data: Hex }] }) => {
  const { args } = decodeFunctionData({ abi: quoteLens.abi, data: params[0].data })
  const [directions, points, ratio] = args as unknown as [readonly Direction[], bigint, bigint]
  asked.push(...directions)
  const result = directions.map(({ token, held: most }) => {
    const held = most || (balances.get(token) ?? 0n)
    const bought = balances.get(token === tokens[0] ? tokens[1] : tokens[0]) ?? 0n
    const answers = listGrid(held, { points: Number(points), ratio }).map((amountIn) => {
      const output = 2n * amountIn
      return output > 0n && output <= bought ? pad(toHex(output), { size: 32 }) : '0x'
    })
    return { burnt: false, held, answers }
  })
  return encodeFunctionResult({ abi: quoteLens.abi, functionName: 'sample', result })
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
s.before.each(() => {
  for (const token of tokens) balances.set(token, whole)
})
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
  return { records: next, asked: [...new Set(asked.map(({ target }) => target.toLowerCase()))] }
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

s(
  'reach what there is to buy where a pool holds none of what it is paid in, or dust [20/one-sided-reads]',
  async () => {
    const [pool] = pools
    if (!pool) throw new Error('no pool')
    for (const held of [0n, 1n, whole / 10n ** 9n]) {
      balances.set(tokens[0], held)
      asked.length = 0
      const [record] = await family.load(deps, { pools: [pool], blockNumber })
      const curve = record && family.toEnginePool(record).curve(0, 1)
      const reach = Number(curve?.x[curve.count]) / Number(whole / 2n)
      assert.ok(reach > 0.99 && reach <= 1, `${reach} of what there is to buy, ${held} held`)
      assert.is(record && family.held(record, 0), Number(held))
      // What is held, a price where nothing tells one, and the grid that follows from it.
      const grids = asked.filter(({ token }) => token === tokens[0])
      assert.ok(grids.length <= 3, `${grids.length} grids`)
    }
  },
)

s('are taken again as far as they reached, at one time', async () => {
  balances.set(tokens[0], 0n)
  const [pool] = pools
  if (!pool) throw new Error('no pool')
  const loaded = await family.load(deps, { pools: [pool], blockNumber })
  const again = await pass(loaded, 11_000)
  assert.is(asked.length, loaded.length * 2)
  assert.equal(again.records[0]?.amounts, loaded[0]?.amounts)
})

s.run()
