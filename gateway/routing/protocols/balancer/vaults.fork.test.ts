import { type Hex, numberToHex } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { readBlockLogs } from '../../reads/readHead.ts'
import { changeVaultPool, pauseVaultPool } from '../../testing/changeVaultPool.ts'
import {
  createTally,
  executeSwaps,
  headNumber,
  loadFamily,
  proveFamily,
  reload,
} from '../../testing/proveFamily.ts'
import { createRandom } from '../../testing/random.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { familyOf, followedTopics, poolIdOf, toEnginePool } from '../families.ts'
import type { PoolRecord } from '../poolRecord.ts'

/** The short version of `families.proof.ts` for pools behind vaults and in bins. */
const protocols = [
  'uniswap_v4',
  'balancer_v2_weighted',
  'balancer_v2_stable',
  'balancer_v3_weighted',
  'balancer_v3_stable',
  'liquidity_book',
] as const

const s = suite('vault families against the chain')
const stand = await startSwapStand(42161)
s.after(() => stand.close())

/** A record after the events since a block; undefined where one of them asks for another read. */
async function follow(record: PoolRecord, from: bigint): Promise<PoolRecord | undefined> {
  let followed: PoolRecord | undefined = record
  for (let number = from + 1n; number <= (await headNumber(stand)); number += 1n) {
    const block = (await stand.rpc('eth_getBlockByNumber', numberToHex(number), false)) as {
      hash: Hex
    }
    const filter = { topics: followedTopics(stand.dexes), addresses: undefined }
    const logs = await readBlockLogs(stand.chainClient, { blockHash: block.hash, filter })
    for (const log of logs)
      if (followed && poolIdOf(log) === record.id) followed = familyOf(record).apply(followed, log)
  }
  return followed
}

const essence = ({ changedBlock: _, swapsSeen: __, ...record }: PoolRecord) => record

for (const protocol of protocols) {
  s(`${protocol}: swaps of every size pay what the engine says`, async () => {
    const random = createRandom(2)
    const tally = await proveFamily(stand, { protocol, compare: 120, execute: 12, random })
    assert.equal(tally.differences, [])
    assert.ok(tally.compared >= 120 && tally.executed >= 12)
  })
  s(`${protocol}: events lead to what a fresh read gives, or ask for one`, async () => {
    const random = createRandom(3)
    for (const [count, first] of (await loadFamily(stand, protocol)).entries()) {
      const before = await reload(stand, first)
      const from = await headNumber(stand)
      const tally = createTally()
      await executeSwaps(stand, { record: before, count: 3, random, tally })
      assert.equal(tally.differences, [])
      const swapped = await follow(before, from)
      const read = await reload(stand, first)
      if (swapped) assert.equal(essence(swapped), essence(read))
      const changedFrom = await headNumber(stand)
      await changeVaultPool(stand, { record: read, count })
      const changed = await follow(read, changedFrom)
      const fresh = await reload(stand, first)
      if (changed) assert.equal(essence(changed), essence(fresh))
      // What was changed is priced to the wei as well.
      await executeSwaps(stand, { record: fresh, count: 2, random, tally })
      assert.equal(tally.differences, [])
    }
  })
}
s('sells nothing through a paused pool, and everything again afterwards', async () => {
  const [record] = await loadFamily(stand, 'balancer_v3_weighted')
  if (!record) throw new Error('no pool')
  const amountIn = 10n ** 15n
  await pauseVaultPool(stand, { record, paused: true })
  const paused = toEnginePool(await reload(stand, record))
  assert.is(paused.swap(0, 1, amountIn), undefined)
  assert.is(paused.curve(0, 1), undefined)
  await pauseVaultPool(stand, { record, paused: false })
  const resumed = toEnginePool(await reload(stand, record))
  assert.ok(resumed.swap(0, 1, amountIn))
})
s.run()
