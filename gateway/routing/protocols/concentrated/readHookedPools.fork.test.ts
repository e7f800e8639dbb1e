import { assert, suite } from '../../../../fixtures/test.ts'
import { createTally, executeSwaps, loadFamily, proveFamily } from '../../testing/proveFamily.ts'
import { createRandom } from '../../testing/random.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { familyOf, isQuoted } from '../families.ts'
import { type PoolRecord, toRef } from '../poolRecord.ts'

const s = suite('pools with hooks')
const stand = await startSwapStand(8453)
s.after(() => stand.close())
const { chainClient, dexes } = stand
const dex = dexes.find(({ protocol }) => protocol === 'uniswap_v4')
if (!dex) throw new Error('no row of Uniswap v4')

s(
  "of the dated list are found by their launchpads' keys, and quoted to the wei [21/hooks]",
  async () => {
    const hooked = (await loadFamily(stand, 'uniswap_v4')).filter(isQuoted)
    assert.is(hooked.length, 3)
    const random = createRandom(4)
    const tally = createTally()
    for (const record of hooked) await executeSwaps(stand, { record, count: 6, random, tally })
    assert.equal(tally.differences, [])
    assert.is(tally.executed, 18)
    const all = await proveFamily(stand, {
      protocol: 'uniswap_v4',
      compare: 120,
      execute: 12,
      random,
    })
    assert.equal(all.differences, [])
  },
)

s('that act on swaps name their hook, and without a quoter they are left out', async () => {
  const records = await loadFamily(stand, 'uniswap_v4')
  const hooked = records.filter(isQuoted)
  for (const record of hooked) assert.equal(listHooks(record), record.parts?.map(toAddress))
  const declined: string[] = []
  const deps = { ...chainClient, decline: ({ id = '' }) => void declined.push(id) }
  const pools = records.map((record) => toRef(record, { ...dex, quoter: undefined }))
  const blockNumber = hooked[0]?.changedBlock ?? 0n
  const loaded = await familyOf(dex).load(deps, { pools, blockNumber })
  assert.is(loaded.length, records.length - hooked.length)
  assert.equal(declined.sort(), hooked.map(({ id }) => id).sort())
})
const listHooks = (record: PoolRecord) => ('key' in record ? [record.key.hooks.toLowerCase()] : [])
const toAddress = ({ address }: { readonly address: string }) => address
s.run()
