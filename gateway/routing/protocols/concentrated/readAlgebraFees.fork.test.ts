import { type Address, type Hex, keccak256, numberToHex, parseAbi, size, toHex } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { worldAddress } from '../../../../fixtures/world/parts/builder.ts'
import {
  createTally,
  executeSwaps,
  headNumber,
  loadFamily,
  reload,
} from '../../testing/proveFamily.ts'
import { createRandom } from '../../testing/random.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { familyOf, isQuoted } from '../families.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'

const s = suite('fees that Algebra pools set anew')
const stand = await startSwapStand(42161)
s.after(() => stand.close())
const { rpc, builder, chainClient, dexes } = stand
const abi = parseAbi([
  'function setFees(uint16, uint16)',
  'function factory() view returns (address)',
  'function owner() view returns (address)',
  'function setPlugin(address)',
  'function setPluginConfig(uint8)',
])

const oracle = worldAddress('fee oracle')
/** Answers every call with its first nine slots: a fee configuration. */
const oracleCode = `0x${Array.from(
  { length: 9 },
  (_, k) => `60${byte(k)}5461${(32 * k).toString(16).padStart(4, '0')}52`,
).join('')}6101205ff3` as Hex

function byte(value: number): string {
  return value.toString(16).padStart(2, '0')
}

/** Code that names the oracle as `dataStorageOperator()` and is a pool in all else. */
function withOracle(poolCode: Address): Hex {
  const selector = keccak256(toHex('dataStorageOperator()')).slice(2, 10)
  const asks = `5f3560e01c63${selector}14`
  const passOn = `365f5f375f5f365f73${poolCode.slice(2)}5af43d5f5f3e`
  const start = (asks.length + passOn.length) / 2 + 9
  const [isOracle, isDone] = [byte(start + 4), byte(start)]
  const ends = `60${isDone}573d5ffd5b3d5ff35b73${oracle.slice(2)}5f5260205ff3`
  return `0x${asks}60${isOracle}57${passOn}${ends}`
}

async function configure(config: { alpha2: number; baseFee: number }): Promise<void> {
  for (const [slot, value] of [
    [1, config.alpha2],
    [8, config.baseFee],
  ] as const)
    await rpc(
      'anvil_setStorageAt',
      oracle,
      numberToHex(slot, { size: 32 }),
      numberToHex(value, { size: 32 }),
    )
  await rpc('evm_mine')
}

const [plain] = (await loadFamily(stand, 'camelot_v3')) as ConcentratedRecord[]
if (!plain) throw new Error('no Camelot v3 pool')
const family = familyOf(plain)
const camelot = plain

async function refreshed(record: ConcentratedRecord): Promise<ConcentratedRecord> {
  const blockNumber = await headNumber(stand)
  const fields = await family.refresh?.(chainClient, { records: [record], dexes, blockNumber })
  return { ...record, ...(fields?.get(record.id) as Partial<ConcentratedRecord>) }
}

s('a pool without an oracle is priced by the fees of its state', () => {
  assert.is(camelot.feeOracle, undefined)
  assert.not(isQuoted(camelot))
})

s('a configuration without sigmoids names the fee of the next swap', async () => {
  const code = (await rpc('eth_getCode', camelot.address, 'latest')) as Hex
  assert.ok(size(code) > 1000)
  const moved = worldAddress('moved pool code')
  await rpc('anvil_setCode', moved, code)
  await rpc('anvil_setCode', camelot.address, withOracle(moved))
  await rpc('anvil_setCode', oracle, oracleCode)
  await configure({ alpha2: 0, baseFee: 1234 })
  const loaded = (await reload(stand, camelot)) as ConcentratedRecord
  assert.equal([loaded.feePips, loaded.feePips1, isQuoted(loaded)], [1234, 1234, false])
  await configure({ alpha2: 0, baseFee: 77 })
  const later = await refreshed(loaded)
  assert.equal([later.feePips, later.feePips1, isQuoted(later)], [77, 77, false])
})

s('a pool whose fee adapts is priced by the quoter, to the wei', async () => {
  await configure({ alpha2: 600, baseFee: 100 })
  const loaded = (await reload(stand, camelot)) as ConcentratedRecord
  assert.ok(isQuoted(loaded))
  // Nobody tells the record: what the next swap pays is not what it remembers.
  await builder.write({ to: camelot.address, abi, functionName: 'setFees', args: [4321, 2345] })
  const tally = createTally()
  await executeSwaps(stand, { record: loaded, count: 8, random: createRandom(5), tally })
  assert.equal(tally.differences, [])
  assert.is(tally.executed, 8)
  await configure({ alpha2: 0, baseFee: 100 })
  assert.not(isQuoted(await refreshed(loaded)))
})

s('an Integral pool whose plugin has a say in swaps is left out', async () => {
  const [record] = (await loadFamily(stand, 'algebra_integral')) as ConcentratedRecord[]
  assert.ok(record)
  const to = record?.address as Address
  const factory = (await builder.read({ to, abi, functionName: 'factory' })) as Address
  const owner = (await builder.read({ to: factory, abi, functionName: 'owner' })) as Address
  await rpc('anvil_setBalance', owner, toHex(10n ** 20n))
  const load = async () => {
    const dex = dexes.find(({ name }) => name === record?.dex)
    assert.ok(dex)
    const pools = dex ? [{ dex, address: to }] : []
    const blockNumber = await headNumber(stand)
    return familyOf({ protocol: 'algebra_integral' }).load(chainClient, { pools, blockNumber })
  }
  const call = { from: owner, to, abi }
  await builder.write({ ...call, functionName: 'setPlugin', args: [oracle] })
  for (const [flags, isLeftOut] of [
    [1, true],
    [2, true],
    [0b1100, false],
    [128, true],
    [0, false],
  ] as const) {
    await builder.write({ ...call, functionName: 'setPluginConfig', args: [flags] })
    assert.is((await load()).length, isLeftOut ? 0 : 1, `flags ${flags}`)
  }
})
s.run()
