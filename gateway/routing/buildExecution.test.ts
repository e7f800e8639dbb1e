import { type Address, decodeFunctionData, encodeFunctionData, getAddress, zeroAddress } from 'viem'
import { swapExecutor } from '../../contracts/artifacts.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { buildExecution, encodeSteps, namePools } from './buildExecution.ts'
import { familyOf } from './protocols/families.ts'
import type { StepTokens } from './protocols/family/poolFamily.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'

const address = (digit: string) => `0x${digit.repeat(40)}` as Address
const [a, b, pool, executor, taker] = ['a', 'b', 'c', 'd', 'e'].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const record: PairRecord = {
  id: pool,
  address: pool,
  dex: 'uniswap-v2',
  protocol: 'uniswap_v2',
  feePips: 3000,
  tokens: [a, b],
  reserve0: 1n,
  reserve1: 1n,
  changedBlock: 0n,
  swapsSeen: 0,
  isFresh: [false, false],
}
const step = {
  poolId: pool,
  tokenIn: a,
  tokenOut: b,
  amountIn: 5n,
  amountOut: 4n,
  share: 1n << 64n,
  path: 0,
  shareBps: 10_000,
}
const s = suite('execution payload')

const encodeStep = (of: PoolRecord, tokens: StepTokens) => familyOf(of).encodeStep(of, tokens)
/** Its step has no data. */
const bare = { ...record, address: taker, protocol: 'aerodrome_v2' } as unknown as PoolRecord

s('is what the ABI encoder makes of the same call [routing/abi]', () => {
  const back = { ...step, poolId: taker, tokenIn: b, tokenOut: a, share: 77n }
  for (const steps of [[], [step], [step, back], [back, step, step]])
    for (const tokenIn of [a, zeroAddress]) {
      const route = { amountIn: 5n, amountOut: 4n, gas: 0, steps }
      const pools = new Map<string, PoolRecord>([
        [pool, record],
        [taker, bare],
      ])
      const parameters = {
        tokenIn,
        tokenOut: b,
        amountIn: 2n ** 256n - 1n,
        minAmountOut: 0n,
        taker,
      }
      const { data, value, target } = buildExecution({
        ...parameters,
        executor,
        deadlineSecs: 1_234n,
        encodedSteps: encodeSteps({ route, pools }),
      })
      const args = [
        {
          tokenIn,
          amountIn: parameters.amountIn,
          tokenOut: b,
          minAmountOut: 0n,
          recipient: taker,
          deadline: 1_234n,
        },
        steps.map((each) => ({
          ...encodeStep(pools.get(each.poolId) ?? record, each),
          tokenIn: getAddress(each.tokenIn),
          tokenOut: getAddress(each.tokenOut),
          share: each.share,
        })),
      ] as const
      const expected = encodeFunctionData({ abi: swapExecutor.abi, functionName: 'swap', args })
      assert.is(data, expected)
      assert.is(value, tokenIn === zeroAddress ? parameters.amountIn : 0n)
      assert.is(target, executor)
    }
})

s('has one name for the same pools, whatever flows through them [strangers/pool-names]', () => {
  const name = (shares: readonly bigint[], minAmountOut = 0n) => {
    const steps = shares.map((share, n) => ({ ...step, share, poolId: n === 0 ? pool : taker }))
    const pools = new Map([
      [pool as string, record],
      [taker as string, { ...record, address: taker }],
    ])
    const route = { amountIn: 5n, amountOut: 4n, gas: 0, steps }
    const encodedSteps = encodeSteps({ route, pools })
    const asked = {
      tokenIn: a,
      tokenOut: b,
      amountIn: minAmountOut + 1n,
      deadlineSecs: minAmountOut,
    }
    return namePools(buildExecution({ ...asked, executor, minAmountOut, encodedSteps }).data)
  }
  assert.ok(name([1n]))
  assert.is(name([1n]), name([7n], 9n))
  assert.is.not(name([1n]), name([1n, 1n]))
  for (const data of ['0x', '0x12345678', executor] as const) assert.is(namePools(data), undefined)
})

const routeOf = (...steps: readonly (typeof step)[]) => ({
  amountIn: 5n,
  amountOut: 4n,
  gas: 0,
  steps,
})
const pools = new Map([[pool as string, record]])

s('pays native currency, and whoever sends it where nobody is named [teeth/execution]', () => {
  const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  const { data, value, spender, target } = buildExecution({
    tokenIn: native,
    tokenOut: native,
    amountIn: 7n,
    minAmountOut: 6n,
    executor,
    deadlineSecs: 9n,
    encodedSteps: encodeSteps({ route: routeOf(step), pools }),
  })
  assert.equal([value, spender, target], [7n, executor, executor])
  const { args } = decodeFunctionData({ abi: swapExecutor.abi, data })
  assert.equal(args?.[0], {
    tokenIn: zeroAddress,
    amountIn: 7n,
    tokenOut: zeroAddress,
    minAmountOut: 6n,
    recipient: zeroAddress,
    deadline: 9n,
  } as never)
})
s('has no step through a pool that is not known any more [teeth/execution]', () => {
  const gone = { ...step, poolId: taker }
  assert.is(
    encodeSteps({ route: routeOf(gone, step, gone), pools }),
    encodeSteps({ route: routeOf(step), pools }),
  )
})
s('is named by its pools whatever their order, and by swaps alone [teeth/execution]', () => {
  const back = { ...step, tokenIn: b, tokenOut: a }
  const name = (...steps: readonly (typeof step)[]) => {
    const encodedSteps = encodeSteps({ route: routeOf(...steps), pools })
    const asked = { tokenIn: a, tokenOut: b, amountIn: 1n, deadlineSecs: 1n, minAmountOut: 1n }
    return namePools(buildExecution({ ...asked, executor, encodedSteps }).data)
  }
  assert.is(name(step, back), name(back, step))
  assert.is.not(name(step), name(back))
  const others = swapExecutor.abi.filter((item) => item.type === 'function' && item.name !== 'swap')
  for (const item of others)
    if (item.type === 'function' && item.inputs.length === 0) {
      const data = encodeFunctionData({ abi: [item], functionName: item.name } as never)
      assert.is(namePools(data), undefined)
    }
})

s.run()
