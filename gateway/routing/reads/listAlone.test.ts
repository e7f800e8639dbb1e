import { mock } from 'node:test'
import { createClient, custom, type Hex, numberToHex } from 'viem'
import { bloomOf } from '../../../fixtures/nodes/mainnet/bloom.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { hasBlock, listAlone } from './listAlone.ts'
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
const isLevel = true

s('are all of them where the other has the block that ends them [nodes/range-reach]', async () => {
  const { witness, asked } = createWitness({ has: 200, holds: real })
  const both = { told, witness, isLevel, witnessed: real }
  assert.equal(some(await listAlone([both])), [90])
  const altered = [logAt(10, 2), ...real.slice(1)]
  assert.equal(some(await listAlone([{ ...both, told: altered }])), [10, 10])
  assert.equal(await listAlone([{ ...both, told: real }]), [])
  // One that has spoken is asked for nothing.
  assert.equal(asked, [])
})

s('are those up to its last where it may not have the newest blocks', async () => {
  const { witness } = createWitness({ has: 50, holds: real })
  const both = { told, witness, isLevel: false, witnessed: real }
  assert.equal(await listAlone([both]), [])
  assert.equal(some(await listAlone([{ ...both, told: [logAt(5, 2), ...told] }])), [5])
  for (const [node, isIts] of [
    [createWitness({ has: 200 }), true],
    [createWitness({ has: 50 }), false],
    [createWitness({ has: 200, branch: 2 }), false],
  ] as const)
    assert.is(await hasBlock(node.witness, end), isIts)
})

s(
  'are none where it has let go of its logs, and its headers have not [nodes/range-reach]',
  async () => {
    const many = Array.from({ length: 40 }, (_, block) => logAt(block, 1))
    const { witness, asked } = createWitness({ has: 200, holds: many })
    const nothing = { told: many, witness, isLevel, witnessed: [] }
    assert.equal(await listAlone([nothing]), [])
    assert.ok(asked.length <= 4, `${asked.length} headers`)
    // What it has told of it has, and all that came after.
    const parts = [
      nothing,
      { ...nothing, told: real, witnessed: real },
      { ...nothing, told: [lie] },
    ]
    assert.equal(some(await listAlone(parts)), [90])
  },
)

s(
  'are all of them where it tells of nothing, and its headers of less [nodes/range-reach]',
  async () => {
    const one = createWitness({ has: 200, holds: real.slice(1) })
    const nothing = { told: real, isLevel, witnessed: [] }
    const alone = await listAlone([{ ...nothing, witness: one.witness }])
    assert.equal(some(alone), [10, 20, 30])
    const other = createWitness({ has: 200, holds: real })
    const elsewhere = { ...nothing, told: [logAt(10, 1, 3)], witness: other.witness }
    assert.equal(some(await listAlone([elsewhere])), [10])
    const mute = createWitness({ has: 200, holds: real, bloom: () => undefined })
    assert.equal(await listAlone([{ ...nothing, witness: mute.witness }]), [])
  },
)
s(
  'are none of an endpoint whose headers hang, which are waited for once [nodes/header-hangs]',
  async () => {
    const asked: number[] = []
    const request = async ({ params: [number] }: { params: [Hex] }) => {
      asked.push(Number(number))
      setImmediate(() => mock.timers.tick(2_000))
      return new Promise(() => undefined)
    }
    const transport = custom({ request: request as never }, { retryCount: 0 })
    const witness = createClient({ chain: toViemChain(base), transport })
    const silent = (block: number) => ({
      told: [logAt(block, 1)],
      witness,
      isLevel,
      witnessed: [],
    })
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      assert.equal(await listAlone([10, 20, 30].map(silent)), [])
      assert.equal(asked, [10])
      const later = { ...silent(90), told: [lie], witnessed: [logAt(90, 1)] }
      assert.equal(some(await listAlone([silent(10), later])), [90, 90])
      assert.is(await hasBlock(witness, end), false)
    } finally {
      mock.timers.reset()
    }
  },
)
s.run()
