import { numberToHex, type RpcLog, toEventSelector } from 'viem'
import { type Pace, quiet } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet, twoNodes } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'
import { createHeardBlocks } from './heardBlocks.ts'

const s = suite('logs that are held against another endpoint')
const filter = { topics: [], addresses: undefined }
const hashOf = (block: number) => numberToHex(block + 1, { size: 32 })
const oneAndOne = `0x${'1'.padStart(64, '0').repeat(2)}` as const
const sync = toEventSelector('Sync(uint112,uint112)')

const blockOf = (block: number) => {
  const at = { number: BigInt(block), timestampSecs: BigInt(block) }
  return { head: { ...at, hash: hashOf(block), parentHash: hashOf(block - 1) }, logs: [] }
}

const nothing = { contested: 0, healed: 0 }

/**
 * Numbers of the first and last blocks of each look; a block every so often, each looked at once a second. Endpoints
 * in turn have found such things.
 */
function look(secs: number, blockMs: number, found: readonly (typeof nothing)[] = [nothing]) {
  let nowMs = 0
  const heard = createHeardBlocks({ now: () => nowMs })
  const looks: (readonly [bigint | undefined, bigint | undefined])[] = []
  for (nowMs = 0; nowMs < secs * 1_000; nowMs += 250) {
    if (nowMs % blockMs === 0) heard.note({ filter, blocks: [blockOf(nowMs / blockMs)] })
    const part = nowMs % 1_000 === 0 ? heard.pick() : undefined
    if (!part) continue
    looks.push([part.blocks[0]?.head.number, part.blocks.at(-1)?.head.number])
    heard.done(found[(looks.length - 1) % found.length] ?? nothing)
  }
  return looks
}

s('are of nearly all blocks of Base, and of some of Arbitrum One [nodes/held-blocks]', () => {
  const [first, second] = look(120, 2_000)
  assert.equal(first, [0n, 14n])
  assert.ok(second && second[0] !== undefined && second[0] <= 18n, `${second}`)
  const some = look(120, 250)
  assert.equal(some.slice(0, 2), [
    [0n, 14n],
    [120n, 134n],
  ])
  assert.is(some.length, 4)
})

s(
  'are looked for at once where some were false, and rarely where none were [nodes/held-vain]',
  () => {
    assert.ok(look(120, 250, [{ contested: 2, healed: 1 }]).length > 10)
    const vain = { contested: 2, healed: 0 }
    assert.ok(look(3_600, 250, [vain]).length < 9)
    // Every other one is of the endpoint that told of them, and finds nothing.
    assert.ok(look(3_600, 250, [vain, nothing]).length < 20)
  },
)

s('are of one branch', () => {
  let nowMs = 0
  const heard = createHeardBlocks({ now: () => nowMs })
  const note = (blocks: readonly ReturnType<typeof blockOf>[]) => heard.note({ filter, blocks })
  note(Array.from({ length: 10 }, (_, block) => blockOf(block)))
  const other = blockOf(10)
  note([{ ...other, head: { ...other.head, parentHash: hashOf(99) } }])
  note(Array.from({ length: 30 }, (_, block) => blockOf(11 + block)))
  nowMs += 10_000
  const blocks = heard.pick()?.blocks.map(({ head }) => Number(head.number)) ?? []
  assert.equal([blocks[0], blocks.at(-1), blocks.length], [10, 24, 15])
})

/** Two endpoints, the first of which is asked and tells of reserves what it likes. */
async function hold() {
  let nowMs = 0
  const pace: { -readonly [key in keyof Pace]: Pace[key] } = { ...quiet, blockMs: 250 }
  const node = { liar: 0, preferred: -1 }
  const held = await holdMainnet(arbitrum, {
    ...twoNodes,
    pace,
    bend({ method }, answer, of) {
      if (method !== 'eth_getLogs' || of !== node.liar || !('result' in answer)) return answer
      const logs = answer.result as readonly RpcLog[]
      const bend = (log: RpcLog) => (log.topics[0] === sync ? { ...log, data: oneAndOne } : log)
      return { result: logs.map(bend) }
    },
  })
  const { mainnet, reader, deps, chainClient } = held
  const prefer = (place: number) => {
    node.preferred = place
    chainClient.prefer?.(place)
  }
  const { witnesses } = chainClient
  const auditor = { ...deps.auditor, witnesses, prefer }
  const heardBlocks = createHeardBlocks({ now: () => nowMs })
  Object.assign(deps, { witnesses, auditor, heardBlocks })
  Object.assign(pace, { swaps: [2, 2], crowdedSwaps: 2 })
  return {
    ...held,
    node,
    async mine(blocks: number) {
      for (let block = 0; block < blocks; block += 1) {
        mainnet.mine()
        nowMs += 250
        await reader.confirm()
      }
      nowMs += 5_000
    },
    async countWrong() {
      const state = reader.current()
      assert.is(state?.head.hash, mainnet.head().hash)
      const records = [...(state?.pools.values() ?? [])]
      const at = { records, blockNumber: BigInt(mainnet.head().number) }
      const fresh = await readMainnet({ chain: arbitrum, mainnet, dexes: deps.dexes }, at)
      return records.filter((record) => {
        const real = fresh.get(record.id)
        return !real || compareRecords(record, real) !== undefined
      }).length
    },
  }
}

s(
  'are put right where the first endpoint tells what no bloom rules out [nodes/held-against]',
  async () => {
    using held = await hold()
    await held.mine(15)
    assert.ok((await held.countWrong()) > 0)
    await held.reader.holdAgainst()
    assert.is(await held.countWrong(), 0)
    // The other one is asked from now on.
    assert.is(held.node.preferred, 1)
    await held.mine(20)
    assert.is(await held.countWrong(), 0)
  },
)

s('stay where the other endpoint is the one that lies [nodes/held-against]', async () => {
  using held = await hold()
  held.node.liar = 1
  await held.mine(15)
  const before = held.reader.current()
  await held.reader.holdAgainst()
  assert.is(held.reader.current(), before)
  assert.is(held.node.preferred, -1)
})
s.run()
