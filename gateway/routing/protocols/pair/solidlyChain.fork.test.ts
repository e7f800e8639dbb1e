import { parseAbi } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { headNumber, loadFamily, reload } from '../../testing/proveFamily.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { familyOf, toEnginePool } from '../families.ts'
import type { SolidlyRecord } from './solidlyChain.ts'

const s = suite('a factory that stops its pools')
const stand = await startSwapStand(8453)
s.after(() => stand.close())
const { builder, chainClient, dexes } = stand
const dex = dexes.find(({ protocol }) => protocol === 'aerodrome_v2')
if (!dex) throw new Error('the world has Aerodrome')
const abi = parseAbi(['function setPauseState(bool state)'])

s('is heard at every block, and by whoever reads its pools [21/solidly-paused]', async () => {
  const records = await loadFamily(stand, 'aerodrome_v2')
  const [first] = records
  if (!first) throw new Error('the world has pools')
  for (const paused of [true, false]) {
    await builder.write({ to: dex.factory, abi, functionName: 'setPauseState', args: [paused] })
    const at = { records, dexes, blockNumber: await headNumber(stand) }
    const fields = await familyOf(first).refresh?.(chainClient, at)
    assert.is(fields?.size, records.length)
    const followed = records.map((record) => ({ ...record, ...fields?.get(record.id) }))
    for (const record of [...followed, await reload(stand, first)]) {
      const pool = toEnginePool(record as typeof first)
      const amountIn = (record as SolidlyRecord).reserve0 / 1_000n
      assert.is(pool.swap(0, 1, amountIn) === undefined, paused, record.id)
      assert.is(pool.curve(0, 1) === undefined, paused, record.id)
    }
  }
})
s.run()
