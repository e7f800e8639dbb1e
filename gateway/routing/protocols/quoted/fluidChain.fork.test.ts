import { type Address, parseAbi } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { askQuoters } from '../../reads/askQuoters.ts'
import { headNumber, loadFamily, reload } from '../../testing/proveFamily.ts'
import { startRouting } from '../../testing/startRouting.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { type PoolTrade, toTrial } from '../../testing/swapTrial.ts'
import { familyOf, toEnginePool } from '../families.ts'
import type { PoolRecord } from '../poolRecord.ts'

const s = suite('limits of Fluid pools')
const stand = await startSwapStand(8453)
s.after(() => stand.close())
const { builder } = stand
const abi = parseAbi([
  'struct Limits { uint256 withdrawable; uint256 borrowable; }',
  'function setLimits(uint256 percent, Limits of0, Limits of1)',
])
const plenty = 10n ** 30n
const found = (await loadFamily(stand, 'fluid')).find(
  (record) => 'native' in record && !record.native.includes(true),
)
if (!found) throw new Error('no Fluid pool of two tokens')
const pool = found

/** Both tokens alike. */
async function limit(borrowedPercent: bigint, withdrawable: bigint, borrowable: bigint) {
  const limits = { withdrawable, borrowable }
  const call = { to: pool.address, abi, functionName: 'setLimits' }
  await builder.write({ ...call, args: [borrowedPercent, limits, limits] })
  return reload(stand, pool)
}

/** What the quoter promises, what is read of it, and what the chain pays. */
async function ask(record: PoolRecord, trade: PoolTrade) {
  const { quoter } = familyOf(record)
  if (!quoter) throw new Error('Fluid is quoted')
  const questions = [quoter.question(record, trade)]
  const blockNumber = await headNumber(stand)
  const [words] = await askQuoters(stand.chainClient, { questions, blockNumber })
  const [outcome] = await stand.tryAll([toTrial(stand, record, trade)])
  return {
    promised: words?.[0],
    read: words && quoter.readAnswer(words, trade, record),
    paid: outcome?.ok ? outcome.amountOut : undefined,
  }
}

const open = await limit(0n, plenty, 0n)
const trade: PoolTrade = { i: 0, j: 1, amountIn: 10n ** 9n }
const { promised: output = 0n } = await ask(open, trade)

for (const [what, borrowedPercent, limits] of [
  ['withdrawn', 0n, (amount: bigint) => [amount, 0n]],
  ['borrowed', 100n, (amount: bigint) => [0n, amount]],
  ['withdrawn and borrowed', 30n, (amount: bigint) => [amount, amount]],
] as const)
  s(`what may be ${what} is all that a swap is paid [21/fluid-limits]`, async () => {
    const [least = 0n, borrowable = 0n] = limits(output)
    const enough = await limit(borrowedPercent, least, borrowable)
    assert.equal(await ask(enough, trade), { promised: output, read: output, paid: output })
    // Below a third of it no part of any size is enough.
    const [few = 0n, fewBorrowable = 0n] = limits(output / 4n)
    const limited = await limit(borrowedPercent, few, fewBorrowable)
    const asked = await ask(limited, trade)
    assert.equal(asked, { promised: output, read: undefined, paid: undefined })
    // The search sees nothing beyond it, either.
    const engine = toEnginePool(limited)
    assert.is(engine.swap(0, 1, trade.amountIn), undefined)
    assert.ok(engine.swap(0, 1, trade.amountIn / 100n))
  })

s('a limit that falls without an event bounds the next quote [21/fluid-limits-fall]', async () => {
  await limit(0n, plenty, 0n)
  const routing = await startRouting(undefined, {
    chainClient: stand.chainClient,
    executor: stand.manifest.executor,
    dexes: stand.dexes.filter(({ protocol }) => protocol === 'fluid'),
  })
  try {
    const [tokenIn, tokenOut] = pool.tokens as [Address, Address]
    const asked = { chainId: 8453, tokenIn, tokenOut, slippageBps: 50, taker: stand.probe }
    const ask = () => routing.quote({ ...asked, amountIn: trade.amountIn })
    const before = await ask()
    if (before.status !== 'ok') throw new Error(before.status)
    await limit(0n, output / 4n, 0n)
    const after = await ask()
    if (after.status !== 'ok') return
    const { data = '0x', value = 0n } = after.quote.execution ?? {}
    const { ok } = await stand.execute({ tokenIn, value, data })
    assert.ok(ok, `${after.quote.amountOut} of ${before.quote.amountOut} was promised`)
  } finally {
    await routing.close()
  }
})

s('a pool whose resolver tells of no limits is taken at its word', async () => {
  const record = await limit(0n, output / 4n, 0n)
  assert.is((await ask(record, trade)).read, undefined)
  const unlimited = { ...record, limits: undefined } as PoolRecord
  assert.is((await ask(unlimited, trade)).read, output)
})
s.run()
