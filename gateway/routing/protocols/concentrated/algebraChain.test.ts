import { encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { openRanges, rangeTokens } from '../../testing/rangeLens.ts'
import { fakeAddress, fakeDex, type Told } from '../../testing/viewNode.ts'
import { algebraIntegralFamily, camelotV3Family } from './algebraChain.ts'
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
/** Heights of the sigmoids first, the base fee last. */
const setting = (alpha1: number, alpha2: number, fee: number) => [
  alpha1,
  alpha2,
  3,
  4,
  5,
  6,
  7,
  8,
  fee,
]
const camelot = (zto: readonly number[], otz: readonly number[]): readonly Told[] => [
  [pool, 'dataStorageOperator()(address)', [oracle]],
  [oracle, `feeConfigZto()${config}`, zto],
  [oracle, `feeConfigOtz()${config}`, otz],
]
/** Of the second the fee adapts, in one direction. */
const told: readonly Told[] = [
  ...camelot(setting(0, 0, 120), setting(0, 0, 130)),
  [other, 'dataStorageOperator()(address)', [second]],
  [second, `feeConfigZto()${config}`, setting(0, 0, 140)],
  [second, `feeConfigOtz()${config}`, setting(9, 0, 150)],
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
    [120, 130, undefined],
    [500, 600, quoter],
  ])
  assert.equal(
    records.map((record) => camelotV3Family.isQuoted?.(record)),
    [false, true],
  )
  const fields = await camelotV3Family.refresh?.(deps, { records, dexes: [dex], blockNumber })
  assert.equal(
    [fields?.get(pool), fields?.get(other)],
    [{ feePips: 120, feePips1: 130, quoter: undefined }, { quoter }],
  )
  const gone = await camelotV3Family.refresh?.(deps, { records, dexes: [], blockNumber })
  assert.equal(gone?.get(other), { quoter: undefined })
})
s('ask their quoter about both tokens, at any price [teeth/algebra-fees]', async () => {
  const [, record] = await load()
  if (!record) throw new Error('there is no pool')
  const abi = parseAbi([
    'function quoteExactInputSingle(address,address,uint256,uint160) returns (uint256,uint16)',
  ])
  const trade = { i: 1, j: 0, amountIn: 77n }
  const ask = (own: Partial<ConcentratedRecord>) =>
    camelotV3Family.quoter?.question({ ...record, ...own }, trade)
  const args = [rangeTokens[1], rangeTokens[0], 77n, 0n] as const
  assert.equal(ask({}), { target: quoter, data: encodeFunctionData({ abi, args }) })
  assert.is(ask({ quoter: undefined })?.target, getAddress(other))
  assert.is(camelotV3Family.quoter?.readAnswer([5n, 6n], trade, record), 5n)
})
s(
  'of Camelot pay the fee of the next block, or who is asked for it [teeth/algebra-fees]',
  async () => {
    const load = async (views: readonly Told[], own = {}) => {
      const node = openRanges(undefined, views)
      const pools = [{ dex: { ...dex, quoter: undefined, ...own }, address: pool }]
      const [read] = await camelotV3Family.load(node.deps, { pools, blockNumber })
      return { read, ...node }
    }
    const flat = camelot(setting(0, 0, 120), setting(0, 0, 130))
    const { read, calls } = await load(flat)
    assert.equal(
      [read?.feePips, read?.feePips1, read?.feeOracle, read?.quoter],
      [120, 130, oracle, undefined],
    )
    assert.is(calls[0]?.[0]?.shape, 1)
    const plain = (await load([])).read
    if (!plain) throw new Error('there is no pool')
    assert.equal([...feesOf(plain), plain.feeOracle], [500, 600, undefined, undefined])
    for (const bent of [
      camelot(setting(1, 0, 120), setting(0, 0, 130)),
      camelot(setting(0, 0, 120), setting(0, 1, 130)),
    ]) {
      const asked = await load(bent, { quoter })
      assert.equal(
        [asked.read?.feePips, asked.read?.quoter, asked.read?.feeOracle],
        [500, quoter, oracle],
      )
      assert.ok(asked.read && camelotV3Family.isQuoted?.(asked.read))
      // Without a quoter nobody can tell what it gives.
      const mute = await load(bent)
      assert.equal([mute.read, mute.declined], [undefined, [pool]])
    }
    const refresh = async (views: readonly Told[]) =>
      camelotV3Family.refresh?.(openRanges(undefined, views).deps, {
        records: [
          { ...plain, feeOracle: oracle },
          { ...plain, id: other },
        ],
        dexes: [{ ...dex, quoter }],
        blockNumber,
      })
    const fresh = await refresh(flat)
    assert.equal([...(fresh ?? [])], [[pool, { feePips: 120, feePips1: 130, quoter: undefined }]])
    const bent = await refresh(camelot(setting(0, 9, 120), setting(0, 0, 130)))
    assert.equal(bent?.get(pool), { quoter })
  },
)
s(
  'of Algebra Integral are left out where a plugin has a say in swaps [teeth/algebra-fees]',
  async () => {
    const state = (flags: number): Told => [
      pool,
      'globalState()(uint160,int24,uint16,uint8,uint16,bool)',
      [1n, 2, 3, flags, 5, true],
    ]
    const load = async (views: readonly Told[]) => {
      const node = openRanges(undefined, views)
      const { declined, calls } = node
      const [read] = await algebraIntegralFamily.load(node.deps, {
        pools: pools.slice(0, 1),
        blockNumber,
      })
      return { id: read?.id, declined, shape: calls[0]?.[0]?.shape }
    }
    assert.equal(await load([state(0)]), { id: pool, declined: [], shape: 2 })
    // Hooks of positions and flash loans leave swaps alone.
    assert.is((await load([state(0b0111_1100)])).id, pool)
    for (const flag of [1, 2, 128])
      assert.equal(await load([state(flag)]), { id: undefined, declined: [pool], shape: 2 })
    assert.equal(await load([]), { id: undefined, declined: [], shape: 2 })
  },
)

s.run()
