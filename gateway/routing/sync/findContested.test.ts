import { createClient, custom, type Hex, numberToHex, RpcRequestError } from 'viem'
import { bloomOf } from '../../../fixtures/nodes/mainnet/bloom.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { findContested } from './findContested.ts'

const s = suite('logs that another endpoint contests')
const hashOf = (block: number) => numberToHex(1_000 + block, { size: 32 })
const address = numberToHex(1, { size: 20 })
const heard = (block: number, count: number) => ({
  head: {
    number: BigInt(block),
    hash: hashOf(block),
    parentHash: hashOf(block - 1),
    timestampSecs: 1n,
  },
  logs: Array.from({ length: count }, (_, logIndex) => ({
    address,
    topics: [numberToHex(9, { size: 32 })],
    data: '0x' as const,
    blockNumber: BigInt(block),
    blockHash: hashOf(block),
    logIndex,
  })),
})
const blocks = Array.from({ length: 15 }, (_, at) => heard(at + 1, at === 13 ? 1 : 0))

const refused = (message: string) =>
  new RpcRequestError({ body: {}, url: 'http://node', error: { code: -32005, message } })

/** Has all of the blocks and none of the logs; asked for more than eight at once, or for the later ones, it refuses. */
function createWitness(isBusy: boolean) {
  async function request({ method, params: [asked] }: { method: string; params: [unknown] }) {
    if (method === 'eth_getBlockByNumber') {
      const block = Number(asked)
      const hashes = { hash: hashOf(block), parentHash: hashOf(block - 1) }
      return { number: asked, ...hashes, timestamp: '0x1', logsBloom: bloomOf([]) }
    }
    const { fromBlock, toBlock } = asked as { fromBlock: Hex; toBlock: Hex }
    if (Number(toBlock) - Number(fromBlock) >= 8)
      throw refused('query returned more than 10000 results')
    if (isBusy && Number(toBlock) > 8) throw refused('too many requests')
    return []
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  return createClient({ chain: toViemChain(base), transport })
}
const contest = (isBusy: boolean) =>
  findContested(
    { witness: createWitness(isBusy) },
    { filter: { topics: [], addresses: undefined }, blocks },
  )

s('are those of blocks that it has answered for [nodes/held-part]', async () => {
  assert.equal(await contest(false), [address])
  assert.equal(await contest(true), [])
})
s.run()
