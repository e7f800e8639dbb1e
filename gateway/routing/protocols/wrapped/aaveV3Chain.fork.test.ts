import { type Address, getAddress, pad, toFunctionSelector } from 'viem'
import { compileImpostor } from '../../../../fixtures/chains/compileImpostor.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { worldAddress } from '../../../../fixtures/world/parts/builder.ts'
import { lendOut, setRate, setReserveFlag, setSupplyCap } from '../../testing/changeAave.ts'
import { headNumber, loadFamily, reload } from '../../testing/proveFamily.ts'
import { routeOn } from '../../testing/proveRoutes.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { toTrial } from '../../testing/swapTrial.ts'
import { familyOf, toEnginePool } from '../families.ts'
import { type PoolRecord, toRef } from '../poolRecord.ts'
import type { AaveV3Record } from './aaveV3Chain.ts'

const s = suite("Aave's aTokens as edges")
const stand = await startSwapStand(8453)
const routing = await routeOn(stand)
s.after(async () => {
  await routing.close()
  await stand.close()
})
const isReserve = (record: PoolRecord): record is AaveV3Record => record.protocol === 'aave_v3'
const tokenOf = (symbol: string) => getAddress(stand.manifest.tokens[symbol]?.address ?? '0x')
const [usdc, weth, aUsdc, aWeth] = ['USDC', 'WETH', 'aBasUSDC', 'aBasWETH'].map(tokenOf) as [
  Address,
  Address,
  Address,
  Address,
]
const reserves = (await loadFamily(stand, 'aave_v3')).filter(isReserve)
const reserve = reserves.find(({ id }) => id === pad(usdc).toLowerCase())
if (!reserve) throw new Error('the world has a reserve of USDC')
const million = 10n ** 12n
/** What a supply loses, and what a holder's own balance is rounded by. */
const rounding = 3n

async function quote(tokenIn: Address, tokenOut: Address, amountIn: bigint) {
  const head = await headNumber(stand)
  const deadline = performance.now() + 30_000
  const [status] = routing.status()
  while ((await status?.chain.sync.fresh())?.head.number !== head)
    if (performance.now() > deadline) throw new Error(`stuck before block ${head}`)
  const trade = { tokenIn, tokenOut, amountIn, slippageBps: 0, taker: stand.probe }
  const outcome = await routing.quote({ chainId: stand.chainId, ...trade })
  if (outcome.status !== 'ok' || !outcome.quote.execution) return undefined
  return { ...outcome.quote, execution: outcome.quote.execution }
}

type Quoted = NonNullable<Awaited<ReturnType<typeof quote>>>
const send = (tokenIn: Address, { execution: { data, value } }: Quoted) =>
  stand.execute({ tokenIn, value, data })

async function quoteThrough(...trade: Parameters<typeof quote>): Promise<Quoted> {
  const quoted = await quote(...trade)
  if (!quoted?.steps.some(({ protocol }) => protocol === 'aave_v3'))
    throw new Error('not through it')
  return quoted
}

s(
  'are had by supplying and sold by withdrawing, for what is quoted at least [21/aave]',
  async () => {
    for (const [tokenIn, tokenOut, amountIn] of [
      [usdc, aUsdc, million],
      [aUsdc, usdc, million],
      [weth, aWeth, 10n ** 18n],
      [aWeth, weth, 10n ** 18n + 7n],
    ] as const) {
      const quoted = await quoteThrough(tokenIn, tokenOut, amountIn)
      assert.is(quoted.steps.length, 1)
      const lost = amountIn - quoted.amountOut
      assert.is(lost, tokenIn === usdc || tokenIn === weth ? 2n : 0n)
      const sent = await send(tokenIn, quoted)
      assert.ok(sent.ok && sent.amountOut >= quoted.amountOut)
      assert.ok(sent.amountOut <= quoted.amountOut + rounding)
    }
  },
)

s('are on the way of longer routes [21/aave]', async () => {
  for (const [tokenIn, tokenOut, amountIn] of [
    [aUsdc, weth, million],
    [weth, aUsdc, 10n ** 18n],
    [aUsdc, aWeth, million],
  ] as const) {
    const quoted = await quoteThrough(tokenIn, tokenOut, amountIn)
    assert.ok(quoted.steps.length > 1)
    const sent = await send(tokenIn, quoted)
    assert.ok(sent.ok && sent.amountOut >= quoted.amountOut)
    assert.ok(sent.amountOut - quoted.amountOut < quoted.amountOut / 10_000n)
  }
})

s('are quoted without slippage for as long as anybody likes [21/aave-rate]', async () => {
  await setRate(stand, reserve, 10n ** 26n)
  for (const amountIn of [million, 3n * million + 1n, 7n])
    for (const [tokenIn, tokenOut] of [
      [usdc, aUsdc],
      [aUsdc, usdc],
    ] as const) {
      const quoted = await quoteThrough(tokenIn, tokenOut, amountIn)
      assert.is(quoted.minAmountOut, quoted.amountOut)
      await stand.rpc('evm_increaseTime', 61)
      const sent = await send(tokenIn, quoted)
      assert.ok(sent.ok && sent.amountOut >= quoted.amountOut, `${amountIn} of ${tokenIn}`)
    }
  await setRate(stand, reserve, 0n)
})

/** Engine and chain agree on which of both ways are paid. */
async function paidWays(amountIn: bigint): Promise<readonly boolean[]> {
  const record = await reload(stand, reserve as AaveV3Record)
  const ways = [
    { i: 0, j: 1, amountIn },
    { i: 1, j: 0, amountIn },
  ] as const
  const outcomes = await stand.tryAll(ways.map((way) => toTrial(stand, record, way)))
  return ways.map((way, index) => {
    const isPaid = toEnginePool(record).swap(way.i, way.j, amountIn) !== undefined
    assert.is(isPaid, outcomes[index]?.ok, `${way.i} to ${way.j}`)
    return isPaid
  })
}

s(
  'are not taken beyond a cap, when frozen or paused, nor paid beyond what is there [21/aave-limits]',
  async () => {
    const both = async () => [
      (await quote(usdc, aUsdc, million)) !== undefined,
      (await quote(aUsdc, usdc, million)) !== undefined,
    ]
    const expectBoth = async (expected: readonly boolean[], what: string) => {
      assert.equal(await paidWays(million), expected, what)
      // By its own event: at once.
      assert.equal(await both(), expected, what)
    }
    await expectBoth([true, true], 'open')
    await setSupplyCap(stand, reserve, 1n)
    await expectBoth([false, true], 'full')
    await setSupplyCap(stand, reserve, 0n)
    for (const [flag, expected] of [
      ['Freeze', [false, true]],
      ['Pause', [false, false]],
    ] as const) {
      await setReserveFlag(stand, reserve, [flag, true])
      await expectBoth(expected, flag)
      await setReserveFlag(stand, reserve, [flag, false])
    }
    const { mosts } = (await reload(stand, reserve)) as AaveV3Record
    await lendOut(stand, reserve, (mosts[0] ?? 0n) - million / 2n)
    await expectBoth([true, false], 'lent out')
  },
)

s('count by the word of their own market and its configurator alone [21/aave-stranger]', () => {
  const { apply, poolIdOf, topics } = familyOf(reserve)
  const told = (address: Address) => ({
    address: address.toLowerCase(),
    topics: [topics[0] ?? '0x', reserve.id] as [`0x${string}`, ...`0x${string}`[]],
    data: '0x' as const,
    blockNumber: 1n,
    blockHash: pad('0x1'),
    logIndex: 0,
  })
  assert.is(poolIdOf?.(told(worldAddress('another market'))), reserve.id)
  assert.is(apply(reserve, told(worldAddress('another market'))), reserve)
  for (const own of [reserve.address, reserve.configurator ?? usdc])
    assert.is(apply(reserve, told(own)), undefined)
})

s('are left out where the market rounds as it did before its ninth revision', async () => {
  const truth = worldAddress('what the market does')
  const { address: market, dex: name } = reserve
  await stand.rpc('anvil_setCode', truth, await stand.rpc('eth_getCode', market, 'latest'))
  const selector = toFunctionSelector('POOL_REVISION()')
  const artifact = compileImpostor(
    `if (msg.sig == ${selector}) { assembly { mstore(0, 8) return(0, 32) } }`,
  )
  await stand.builder.deployAt({ address: market, artifact, args: [truth] })
  const dex = stand.dexes.find((each) => each.name === name)
  if (!dex) throw new Error(name)
  const pools = reserves.map((record) => toRef(record, dex))
  const blockNumber = await headNumber(stand)
  assert.equal(await familyOf(reserve).load(stand.chainClient, { pools, blockNumber }), [])
})
s.run()
