import {
  createClient,
  custom,
  encodeAbiParameters,
  type Hex,
  numberToHex,
  pad,
  parseAbiParameters,
  RpcRequestError,
  zeroAddress,
} from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { createBackSearch } from './backSearch.ts'

type Filter = {
  readonly fromBlock: Hex
  readonly toBlock: Hex
  readonly topics: readonly unknown[]
}

const dex = base.dexes.find(({ protocol }) => protocol === 'uniswap_v4')
if (!dex) throw new Error('Base has the exchange')
const token = pad('0x77', { size: 20 })
const known = pad('0x88', { size: 20 })
const first = BigInt(dex.deployBlock)
const blockNumber = first + 99_999n
const rest = parseAbiParameters('uint24, int24, address, uint160, int24')

/** A node that gives so many blocks at once; in every ten thousandth one a pool of the token was made. */
function createNode({ most, other = known }: { most: number; other?: Hex }) {
  const asked: (readonly [from: number, to: number])[] = []
  const request = async ({ params: [filter] }: { params: [Filter] }) => {
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)]
    if (to - from + 1 > most) {
      const error = { code: -32602, message: 'block range is too wide' }
      throw new RpcRequestError({ body: {}, error, url: 'http://node' })
    }
    asked.push([from, to])
    // The token is the lower one of each pair.
    if (filter.topics[2] === null) return []
    return Array.from({ length: to - from + 1 }, (_, k) => from + k)
      .filter((block) => (block - Number(first)) % 10_000 === 0)
      .map((block) => ({
        address: dex?.factory,
        topics: [filter.topics[0], pad(numberToHex(block)), pad(token), pad(other)],
        data: encodeAbiParameters(rest, [1_234, 13, zeroAddress, 1n << 96n, 0]),
      }))
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  return { asked, client: createClient({ chain: toViemChain(base), transport }) }
}
const book = { hasAll: (tokens: readonly string[]) => tokens.every((one) => one === known) }

async function searchOn(
  search: ReturnType<typeof createBackSearch>,
  node: ReturnType<typeof createNode>,
) {
  const ids: (Hex | undefined)[] = []
  let steps = 0
  for (;;) {
    const before = node.asked.length
    const deps = { client: node.client, dexes: [dex ?? never()], tokens: book, blockNumber }
    const stepped = await search.step(deps)
    if (!stepped.token) return { ids, steps }
    assert.is(stepped.token, token)
    assert.ok(node.asked.length - before <= 8)
    ids.unshift(...stepped.pools.map(({ id }) => id))
    steps += 1
  }
}
function never(): never {
  throw new Error('Base has the exchange')
}
const all = Array.from({ length: 10 }, (_, k) => pad(numberToHex(Number(first) + 10_000 * k)))

const s = suite('pools of the past')

for (const [who, most] of [
  ['all blocks at once', 200_000],
  ['a thousand blocks', 1_000],
] as const)
  s(`are found by their tokens where a node gives ${who} [21/old-keys]`, async () => {
    const node = createNode({ most })
    const search = createBackSearch()
    search.note([token])
    const { ids } = await searchOn(search, node)
    assert.equal(ids, all)
    // No block was read twice, of either place.
    const read = node.asked.reduce((sum, [from, to]) => sum + to - from + 1, 0)
    assert.is(read, 2 * 100_000)
    // Asked again, nothing is left to do.
    const before = node.asked.length
    search.note([token])
    await searchOn(search, node)
    assert.is(node.asked.length, before)
  })

s('are looked for some steps at a time, from where it was [21/old-keys-place]', async () => {
  const node = createNode({ most: 100 })
  const search = createBackSearch()
  const found: (Hex | undefined)[] = []
  let askings = 0
  while (found.length < all.length && askings < 10) {
    search.note([token])
    const { ids, steps } = await searchOn(search, node)
    assert.ok(steps <= 64)
    found.unshift(...ids)
    askings += 1
  }
  assert.equal(found, all)
  assert.ok(askings > 1)
})

s('are looked for however many tokens somebody keeps waiting [21/old-keys-crowd]', async () => {
  const node = createNode({ most: 100 })
  const search = createBackSearch()
  const crowd = Array.from({ length: 64 }, (_, k) => pad(numberToHex(1_000 + k), { size: 20 }))
  const deps = { client: node.client, dexes: [dex ?? never()], tokens: book, blockNumber }
  const step = async () => (await search.step(deps)).token
  search.note(crowd)
  assert.is(await step(), crowd[0])
  search.note(crowd)
  search.note([token])
  const turns: unknown[] = []
  for (let k = 0; k < 64; k += 1) {
    turns.push(await step())
    search.note(crowd)
  }
  assert.ok(turns.includes(token))
})

s('with tokens that nobody knows are none', async () => {
  const node = createNode({ most: 200_000, other: pad('0x99', { size: 20 }) })
  const search = createBackSearch()
  search.note([token])
  assert.equal((await searchOn(search, node)).ids, [])
})
s.run()
