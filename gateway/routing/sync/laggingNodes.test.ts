import { type Hex, numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import type { RpcCall } from '../../chain/nodes/readReply.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'

/** Nodes behind one URL, some of which are blocks behind: what one has told of, the next does not have. */
const s = suite('a node of several that lags')

/** The number that a block is asked for by; undefined for all else, and for the latest. */
function numberOf({ method, params }: RpcCall): number | undefined {
  if (method !== 'eth_getBlockByNumber') return undefined
  const number = Number((params as readonly unknown[])[0])
  return Number.isNaN(number) ? undefined : number
}

/** Every block is there for the third one only who asks for it. */
async function holdBehind() {
  const asked = new Map<number, number>()
  const behind = { blocks: 0 }
  const held = await holdMainnet(base, {
    pools: 40,
    blocksBefore: 8,
    bend(call, answer) {
      const number = numberOf(call)
      if (number === undefined) return answer
      asked.set(number, (asked.get(number) ?? 0) + 1)
      return (asked.get(number) ?? 0) % 3 === 0 ? answer : { result: null }
    },
    lag: () => behind.blocks,
  })
  return { held, behind }
}

s('keeps nobody from the blocks between, nor from an ancestor [nodes/told-block]', async () => {
  const { held, behind } = await holdBehind()
  using _ = held
  const { mainnet, reader, events } = held
  mainnet.mine(5)
  await reader.confirm()
  assert.is(reader.current()?.head.hash, mainnet.head().hash)
  await mainnet.reorg(2)
  await reader.confirm()
  assert.is(reader.current()?.head.hash, mainnet.head().hash)
  // Who names an older head has no reorganisation to tell of.
  behind.blocks = 4
  await reader.confirm()
  assert.is(reader.current()?.head.hash, mainnet.head().hash)
  assert.equal(
    events.map(({ event }) => event),
    ['restored', 'reorged', 'failed'],
  )
})

/** The last of some nodes lies about its head for a while, in which the others have had too many calls. */
async function holdLiar({ farther, nodes }: { readonly farther: number; readonly nodes: number }) {
  const seen = { lies: 0, searches: 0, last: Number.POSITIVE_INFINITY }
  const held = await holdMainnet(base, {
    pools: 40,
    blocksBefore: 8,
    nodes,
    bend({ method, params }, answer, node) {
      if ((numberOf({ method, params }) ?? 0) > seen.last) seen.searches += 1
      if (method === 'eth_getLogs') {
        const [{ fromBlock, toBlock }] = params as readonly [{ fromBlock: Hex; toBlock: Hex }]
        if (Number(fromBlock) > seen.last) seen.searches += 1
        if (Number(toBlock) - Number(fromBlock) >= 100)
          return { error: { code: -32602, message: 'eth_getLogs is limited to 100 block range' } }
      }
      const isHead = method === 'eth_getBlockByNumber' && numberOf({ method, params }) === undefined
      if (!isHead || !('result' in answer) || seen.lies === 0) return answer
      if (node < nodes - 1) return { error: { code: -32005, message: 'too many requests' } }
      seen.lies -= 1
      const block = answer.result as { readonly number: Hex }
      seen.last = Number(block.number)
      const number = numberToHex(seen.last + farther - seen.lies)
      return { result: { ...block, number, hash: numberToHex(1, { size: 32 }) } }
    },
  })
  return { held, seen }
}

for (const [title, farther, nodes, lies] of [
  ['loads nothing again for a head far above the chain [attack/far-head]', 1_000, 1, 1],
  ['nor for one farther still [attack/far-head]', 10 ** 9, 1, 1],
  ['nor for one that the same of two tells twice [attack/far-head-twice]', 10 ** 9, 2, 2],
] as const)
  s(title, async () => {
    const { held, seen } = await holdLiar({ farther, nodes })
    using _ = held
    const { mainnet, reader, events } = held
    mainnet.mine(2)
    seen.lies = lies
    while (seen.lies > 0) {
      seen.searches = 0
      await reader.confirm()
      // As often as a node of several is asked for what another has told of, and not for as long.
      assert.ok(seen.searches <= 4, `${seen.searches} times`)
    }
    seen.last = Number.POSITIVE_INFINITY
    mainnet.mine(1)
    await reader.confirm()
    assert.is(reader.current()?.head.hash, mainnet.head().hash)
    assert.equal(
      events.map(({ event }) => event),
      ['restored', ...Array.from({ length: lies }, () => 'failed')],
    )
  })
s.run()
