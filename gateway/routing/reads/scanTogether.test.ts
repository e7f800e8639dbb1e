import { createClient, custom, type Hex, numberToHex, RpcRequestError } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { scanTogether } from './scanTogether.ts'

type Filter = { readonly address: readonly Hex[]; readonly fromBlock: Hex; readonly toBlock: Hex }
const addressOf = (n: number) => numberToHex(n, { size: 20 })
const topic = numberToHex(1, { size: 32 })

/** A node that gives ten thousand blocks at once, in which each contract has an event at the end. */
function createNode() {
  const asked: Filter[] = []
  const request = async ({ params: [filter] }: { params: [Filter] }) => {
    asked.push(filter)
    const blocks = Number(filter.toBlock) - Number(filter.fromBlock) + 1
    const error = { code: -32602, message: `range ${blocks} exceeds limit of 10000` }
    if (blocks > 10_000) throw new RpcRequestError({ body: {}, error, url: 'http://node' })
    return filter.address.map((address) => ({ address, topics: [topic], data: filter.toBlock }))
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  return { asked, client: createClient({ chain: toViemChain(base), transport }) }
}

const s = suite('events of one kind')

s('of several contracts are scanned once, and each has its own [nodes/scan-together]', async () => {
  const { client, asked } = createNode()
  const scan = (address: readonly Hex[], fromBlock: bigint) =>
    scanTogether({ client }, { address, topic, fromBlock, toBlock: 30_000n })
  const [one, two, three] = [1, 2, 3].map(addressOf) as [Hex, Hex, Hex]
  const found = await Promise.all([scan([one], 20_001n), scan([two, three], 1n)])
  assert.equal(
    found.map(({ logs, isWhole }) => [isWhole, new Set(logs.map(({ address }) => address))]),
    [
      [true, new Set([one])],
      [true, new Set([two, three])],
    ],
  )
  assert.is(found[0]?.logs.length, 3)
  assert.is(asked.length, 4)
  await scan([one], 20_001n)
  assert.equal(asked.at(-1)?.address, [one])
})
s.run()
