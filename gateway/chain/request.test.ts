import { type Hex, numberToHex } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { BlockOrphaned } from './chainErrors.ts'
import { type BlockHashes, createBlockHashes, nameByHash } from './nodes/blockHashes.ts'
import { createNesting } from './nodes/nestedCall.ts'
import type { RpcAnswer, RpcCall } from './nodes/readReply.ts'
import { createStandingCode } from './nodes/standingCode.ts'
import { createRequest } from './request.ts'

const s = suite("what is asked of a chain's upstreams")
const address = numberToHex(0xa, { size: 20 })
const hashOf = (n: number) => numberToHex(n, { size: 32 })
const unknown: RpcAnswer = { error: { code: -32001, message: 'block not found' } }
const latest = { method: 'eth_getBlockByNumber', params: ['latest', false] }
const readAt = (block: Hex) => ({
  method: 'eth_call',
  params: [{ to: address, data: '0x' }, block],
})

/** Upstreams of a chain of one block, number 100; `answer` tells what a read of state meets. */
function open({
  answer,
  isPinned = true,
  known = createBlockHashes(),
}: {
  answer?: (call: RpcCall) => RpcAnswer
  isPinned?: boolean
  known?: BlockHashes
}) {
  const chain: { hash: Hex | undefined; refusal?: RpcAnswer } = { hash: hashOf(1) }
  const asked: RpcCall[] = []
  const now = () => 0
  const nobody = numberToHex(0, { size: 20 })
  const request = createRequest(8453, {
    failover: {
      async call(call) {
        asked.push(nameByHash(call))
        const block = chain.hash ? { number: '0x64', hash: chain.hash } : null
        if (call.method !== 'eth_call')
          return { status: 'answered', answer: chain.refusal ?? { result: block } }
        return { status: 'answered', answer: answer?.(call) ?? { result: '0x01' } }
      },
      otherChain: () => undefined,
      isAstray: () => false,
      standsStill: () => 'chain_or_node',
      inOrder: () => [],
      prefer: () => undefined,
      close: () => undefined,
    },
    waiting: { isFirst: true, patienceMs: 0, blockPatienceMs: 0 },
    standing: createStandingCode({ ask: async () => undefined, now }),
    nesting: createNesting({ multicall3: nobody, create2Deployer: nobody, now }),
    logBlocks: () => undefined,
    blocks: known,
    isPinned,
    spend: async () => true,
  })
  const blocks = () =>
    asked
      .splice(0)
      .map(({ method, params }) => (method === 'eth_call' ? (params as unknown[])[1] : 'block'))
  return { chain, request, blocks }
}

s('reads the state of the block that was told of, by its hash [nodes/block-hash]', async () => {
  const { request, blocks } = open({})
  await request(readAt('0x64'))
  await request(latest)
  assert.is(await request(readAt('0x64')), '0x01')
  await request(readAt('0x63'))
  const code = { [address]: { code: '0x00' } }
  const laid = readAt('0x64')
  await request({ ...laid, params: [...laid.params, code] })
  const pinned = { blockHash: hashOf(1) }
  // Nobody had told of it before, and nobody has told of the one below.
  assert.equal(blocks(), ['0x64', 'block', pinned, '0x63', pinned])
})

s('reads by number for whoever takes the block in its place as well', async () => {
  const { request, blocks } = open({ isPinned: false })
  await request(latest)
  await request(readAt('0x64'))
  assert.equal(blocks(), ['block', '0x64'])
})

s(
  'goes on reading the block that it was told of, whatever others hear of meanwhile [nodes/block-hash]',
  async () => {
    const known = createBlockHashes()
    const { request, blocks } = open({ known })
    const other = open({ known, isPinned: false })
    await request(latest)
    other.chain.hash = hashOf(2)
    await other.request(latest)
    await request(readAt('0x64'))
    assert.equal(blocks(), ['block', { blockHash: hashOf(1) }])
  },
)

s(
  'is told of a block that was orphaned, and reads at the one in its place [nodes/block-orphaned]',
  async () => {
    const { chain, request, blocks } = open({
      answer: ({ blockHash }) => (blockHash === hashOf(1) ? unknown : { result: '0x02' }),
    })
    await request(latest)
    chain.hash = hashOf(2)
    assert.instance(await request(readAt('0x64')).catch((error: unknown) => error), BlockOrphaned)
    assert.is(await request(readAt('0x64')), '0x02')
    const [old, next] = [{ blockHash: hashOf(1) }, { blockHash: hashOf(2) }]
    assert.equal(blocks(), ['block', old, '0x64', 'block', next])
  },
)

s(
  'reads by number where a node has the block and does not find its hash [nodes/block-orphaned]',
  async () => {
    const { request, blocks } = open({
      answer: ({ blockHash }) => (blockHash ? unknown : { result: '0x02' }),
    })
    await request(latest)
    assert.is(await request(readAt('0x64')), '0x02')
    assert.equal(blocks(), ['block', { blockHash: hashOf(1) }, '0x64', 'block'])
  },
)

s(
  'takes nothing that is read by number while another block comes in its place [nodes/block-orphaned]',
  async () => {
    const { chain, request } = open({
      answer({ blockHash }) {
        if (blockHash) return unknown
        chain.hash = hashOf(2)
        return { result: '0x02' }
      },
    })
    await request(latest)
    assert.instance(await request(readAt('0x64')).catch((error: unknown) => error), BlockOrphaned)
  },
)

s('is told of it where the chain ends below the block [nodes/block-orphaned]', async () => {
  const { chain, request } = open({ answer: () => unknown })
  await request(latest)
  chain.hash = undefined
  assert.instance(await request(readAt('0x64')).catch((error: unknown) => error), BlockOrphaned)
})

s('is told of it by a call that had to make its code itself [nodes/block-orphaned]', async () => {
  const refused: RpcAnswer = {
    error: { code: -32602, message: 'too many arguments, want at most 2' },
  }
  const { chain, request, blocks } = open({
    answer: ({ params }) => ((params as unknown[]).length > 2 ? refused : unknown),
  })
  await request(latest)
  chain.hash = hashOf(2)
  const { method, params } = readAt('0x64')
  const laid = { method, params: [...params, { [address]: { code: '0x00' } }] }
  assert.instance(await request(laid).catch((error: unknown) => error), BlockOrphaned)
  const pinned = { blockHash: hashOf(1) }
  assert.equal(blocks(), ['block', pinned, pinned, '0x64', 'block'])
})

s(
  "is told of the node's own words where nobody tells of the block [nodes/block-orphaned]",
  async () => {
    const { chain, request } = open({ answer: () => unknown })
    await request(latest)
    chain.refusal = { error: { code: -32000, message: 'oops' } }
    const said = await request(readAt('0x64')).catch((error: Error) => error.message)
    assert.match(String(said), 'block not found')
  },
)

s('knows no hash by what a node makes up [nodes/block-hash]', () => {
  const blocks = createBlockHashes()
  const told = (number: unknown, hash: unknown, tag: unknown = 'latest') =>
    blocks.note({ method: latest.method, params: [tag, false] }, { result: { number, hash } })
  told('0x64', '0x12')
  told('0x64', hashOf(1), 'pending')
  told(`0x${'64'.repeat(9)}`, hashOf(1))
  told(100, hashOf(1))
  blocks.note(latest, { result: null })
  blocks.note(latest, unknown)
  assert.equal(blocks.pin(readAt('0x64')), readAt('0x64'))
  for (let n = 0; n < 600; n += 1) told(numberToHex(100 + n), hashOf(n))
  assert.is(blocks.pin(readAt('0x64')).blockHash, undefined)
  assert.is(blocks.pin(readAt(numberToHex(699))).blockHash, hashOf(599))
  assert.equal(blocks.pin(latest), latest)
  // Told of again, it is kept longer than what was told of after it.
  told(numberToHex(188), hashOf(88))
  told(numberToHex(700), hashOf(600))
  assert.is(blocks.pin(readAt(numberToHex(188))).blockHash, hashOf(88))
  assert.is(blocks.pin(readAt(numberToHex(189))).blockHash, undefined)
})
s.run()
