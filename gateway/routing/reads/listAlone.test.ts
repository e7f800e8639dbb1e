import { createClient, custom, type Hex, numberToHex } from 'viem'
import { bloomOf } from '../../../fixtures/nodes/mainnet/bloom.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { listAlone } from './listAlone.ts'
import type { PoolLog } from './poolLog.ts'

const s = suite('logs that one of two endpoints alone tells of')
const hashOf = (block: number, branch = 1) => numberToHex(1_000 * branch + block, { size: 32 })
const addressOf = (pool: number) => numberToHex(pool, { size: 20 })
const topic = numberToHex(9, { size: 32 })
const logAt = (block: number, pool: number, branch = 1) =>
  ({
    address: addressOf(pool),
    topics: [topic],
    data: '0x',
    blockNumber: BigInt(block),
    blockHash: hashOf(block, branch),
    logIndex: 0,
  }) satisfies PoolLog
const end = { number: 100n, hash: hashOf(100) }

/** An endpoint that has so many blocks of a branch, whose blooms have these logs; and the blocks it was asked for. */
function createWitness({
  has,
  holds = [],
  branch = 1,
  bloom = ({ topics, address }: ReturnType<typeof logAt>) => bloomOf([{ topics, address }]),
}: {
  has: number
  holds?: readonly ReturnType<typeof logAt>[]
  branch?: number
  bloom?: (log: ReturnType<typeof logAt>) => Hex | undefined
}) {
  const asked: number[] = []
  const request = async ({ params: [number] }: { params: [Hex] }) => {
    const block = Number(number)
    asked.push(block)
    if (block > has) return null
    const log = holds.find(({ blockNumber }) => Number(blockNumber) === block)
    const logsBloom = log ? bloom(log) : bloomOf([])
    const hash = hashOf(block, branch)
    return { number, hash, parentHash: hashOf(block - 1, branch), timestamp: '0x1', logsBloom }
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  return { witness: createClient({ chain: toViemChain(base), transport }), asked }
}

const real = [10, 20, 30].map((block) => logAt(block, 1))
const lie = logAt(90, 2)
const told = [...real, lie]
const some = (logs: readonly PoolLog[]) => logs.map(({ blockNumber }) => Number(blockNumber))

s('are all of them where the other has the block that ends them [nodes/range-reach]', async () => {
  const { witness, asked } = createWitness({ has: 200, holds: real })
  assert.equal(some(await listAlone([{ told, witness, witnessed: real }], end)), [90])
  const altered = [logAt(10, 2), ...real.slice(1)]
  const both = { told: altered, witness, witnessed: real }
  assert.equal(some(await listAlone([both], end)), [10, 10])
  // One that agrees is asked for nothing.
  asked.length = 0
  assert.equal(await listAlone([{ told: real, witness, witnessed: real }], end), [])
  assert.equal(asked, [])
})

s('are those up to its last where it may not have the newest blocks', async () => {
  for (const [node, at] of [
    [createWitness({ has: 50, holds: real }), end],
    [createWitness({ has: 200, holds: real, branch: 2 }), end],
    [createWitness({ has: 200, holds: real }), undefined],
  ] as const) {
    const both = { told, witness: node.witness, witnessed: real }
    assert.equal(await listAlone([both], at), [])
    const early = { ...both, told: [logAt(5, 2), ...told] }
    assert.equal(some(await listAlone([early], at)), [5])
  }
})

s(
  'are none where it has let go of its logs, and its headers have not [nodes/range-reach]',
  async () => {
    const many = Array.from({ length: 40 }, (_, block) => logAt(block, 1))
    const { witness, asked } = createWitness({ has: 200, holds: many })
    const nothing = { told: many, witness, witnessed: [] }
    assert.equal(await listAlone([nothing], end), [])
    assert.ok(asked.length <= 5, `${asked.length} headers`)
    // What it has told of it has, and all that came after.
    const later = { told: [lie], witness, witnessed: [] }
    const parts = [nothing, { told: real, witness, witnessed: real }, later]
    assert.equal(some(await listAlone(parts, end)), [90])
  },
)

s(
  'are all of them where it tells of nothing, and its headers of less [nodes/range-reach]',
  async () => {
    const one = createWitness({ has: 200, holds: real.slice(1) })
    const nothing = { told: real, witnessed: [] }
    const alone = await listAlone([{ ...nothing, witness: one.witness }], end)
    assert.equal(some(alone), [10, 20, 30])
    const other = createWitness({ has: 200, holds: real })
    const elsewhere = { told: [logAt(10, 1, 3)], witness: other.witness, witnessed: [] }
    assert.equal(some(await listAlone([elsewhere], end)), [10])
    const mute = createWitness({ has: 200, holds: real, bloom: () => undefined })
    assert.equal(await listAlone([{ ...nothing, witness: mute.witness }], end), [])
  },
)
s.run()
