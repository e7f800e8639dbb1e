import { encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { openRanges, rangeTokens } from '../../testing/rangeLens.ts'
import { fakeAddress, fakeDex, type Told } from '../../testing/viewNode.ts'
import { camelotV3Family } from './algebraChain.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'

const s = suite('pools of Algebra')
const [pool, other, oracle, second, quoter] = [1, 2, 5, 6, 8].map(fakeAddress) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
]
const dex = fakeDex({ protocol: 'camelot_v3', quoter })
const blockNumber = 7n
const config = '(uint16,uint16,uint32,uint32,uint16,uint16,uint32,uint16,uint16)'
const setting = (alpha: number, fee: number) => [alpha, 0, 3, 4, 5, 6, 7, 8, fee]
/** Of the first the fee adapts, in one direction. */
const told: readonly Told[] = [
  [pool, 'dataStorageOperator()(address)', [oracle]],
  [other, 'dataStorageOperator()(address)', [second]],
  [oracle, `feeConfigZto()${config}`, setting(0, 120)],
  [oracle, `feeConfigOtz()${config}`, setting(9, 130)],
  [second, `feeConfigZto()${config}`, setting(0, 140)],
  [second, `feeConfigOtz()${config}`, setting(0, 150)],
]
const { deps } = openRanges(undefined, told)
const pools = [pool, other].map((address) => ({ dex, address }))
const load = () => camelotV3Family.load(deps, { pools, blockNumber })
const feesOf = ({ feePips, feePips1, quoter: asked }: Partial<ConcentratedRecord>) => [
  feePips,
  feePips1,
  asked,
]

s('have each the fees of their own oracle [teeth/algebra-fees]', async () => {
  const records = await load()
  assert.equal(records.map(feesOf), [
    [500, 600, quoter],
    [140, 150, undefined],
  ])
  assert.equal(
    records.map((record) => camelotV3Family.isQuoted?.(record)),
    [true, false],
  )
  const fields = await camelotV3Family.refresh?.(deps, { records, dexes: [dex], blockNumber })
  assert.equal(
    [fields?.get(pool), fields?.get(other)],
    [{ quoter }, { feePips: 140, feePips1: 150, quoter: undefined }],
  )
  const gone = await camelotV3Family.refresh?.(deps, { records, dexes: [], blockNumber })
  assert.equal(gone?.get(pool), { quoter: undefined })
})
s('ask their quoter about both tokens, at any price [teeth/algebra-fees]', async () => {
  const [record] = await load()
  if (!record) throw new Error('there is no pool')
  const abi = parseAbi([
    'function quoteExactInputSingle(address,address,uint256,uint160) returns (uint256,uint16)',
  ])
  const trade = { i: 1, j: 0, amountIn: 77n }
  const ask = (own: Partial<ConcentratedRecord>) =>
    camelotV3Family.quoter?.question({ ...record, ...own }, trade)
  const args = [rangeTokens[1], rangeTokens[0], 77n, 0n] as const
  assert.equal(ask({}), { target: quoter, data: encodeFunctionData({ abi, args }) })
  assert.is(ask({ quoter: undefined })?.target, getAddress(pool))
  assert.is(camelotV3Family.quoter?.readAnswer([5n, 6n], trade, record), 5n)
})
s.run()
