import { assert, suite } from '../../fixtures/test.ts'
import type { Route } from './engine/route.ts'
import { mostSettlings, settleInput } from './settleInput.ts'

const s = suite('settling an input')

/** A pool of two reserves in front of one that counts in units of `unit`, and what it was asked. */
function createChain({ unit, reserve }: { readonly unit: bigint; readonly reserve: bigint }) {
  return askOf({
    unit,
    outputOf: (amountIn) => ((amountIn * reserve) / (reserve + amountIn) / unit) * unit * 2n,
  })
}

function askOf({
  unit,
  outputOf,
}: {
  readonly unit: bigint
  readonly outputOf: (amountIn: bigint) => bigint
}) {
  const questions: bigint[] = []
  const routeOf = (amountIn: bigint): Route => {
    const amountOut = outputOf(amountIn)
    const step = { poolId: 'pool', tokenIn: 'a', tokenOut: 'b', path: 0 }
    const share = 1n << 64n
    const units = { amountIn: amountIn / unit, amountOut: amountOut / unit }
    return { amountIn, amountOut, gas: 1, steps: [{ ...step, share, shareBps: 10_000, ...units }] }
  }
  const settle = async ({ amountIn }: Route) => {
    questions.push(amountIn)
    return routeOf(amountIn)
  }
  return { outputOf, routeOf, settle, questions, countAsked: () => questions.length }
}

const reserve = 10n ** 24n

s('finds the least to a millionth, from above and from below [20/settled-inverse]', async () => {
  const { outputOf, routeOf, settle, countAsked } = createChain({ unit: 1n, reserve })
  for (const wanted of [10n ** 18n, 10n ** 21n, 10n ** 23n, 10n ** 24n])
    for (const [part, whole] of [
      [90n, 100n],
      [999n, 1_000n],
      [1n, 1n],
      [1_001n, 1_000n],
      [120n, 100n],
    ] as const) {
      const before = countAsked()
      const target = outputOf(wanted)
      const route = routeOf((wanted * part) / whole)
      const settled = await settleInput({ route, target, most: 2n * wanted, settle })
      assert.ok(settled && settled.amountOut >= target)
      assert.ok(settled.amountIn <= wanted + wanted / 500_000n, `${settled.amountIn} of ${wanted}`)
      const asked = countAsked() - before
      const isNear = part * 100n > whole * 99n && part * 100n < whole * 101n
      assert.ok(asked <= (isNear ? 6 : mostSettlings), `${asked} questions`)
    }
})

s('goes down to the first of the inputs that give the same', async () => {
  const unit = 10n ** 15n
  const { outputOf, routeOf, settle, countAsked } = createChain({ unit, reserve })
  const target = outputOf(1_000n * unit + unit / 3n)
  const settled = await settleInput({
    route: routeOf(1_001n * unit),
    target,
    most: reserve,
    settle,
  })
  assert.ok(settled && settled.amountOut === target)
  assert.ok(outputOf(settled.amountIn - settled.amountIn / 10_000n) < target)
  assert.ok(countAsked() <= mostSettlings)
})

s('gets over a step that is far off for the little that is missing', async () => {
  const step = 10n ** 13n
  const { outputOf, routeOf, settle } = askOf({
    unit: 1n,
    outputOf: (amountIn) =>
      2n * (amountIn - (amountIn % step)) + ((amountIn + step / 2n) / step) * 1_000n,
  })
  const wanted = 10n ** 21n + step / 2n
  for (const part of [70_000n, 100_000n]) {
    const route = routeOf(wanted + wanted / part)
    const settled = await settleInput({ route, target: outputOf(wanted), most: reserve, settle })
    assert.ok(settled && settled.amountIn <= wanted + wanted / 500_000n, `${settled?.amountIn}`)
  }
})

s('takes a branch that gives nothing any more for no unit [20/settled-inverse]', async () => {
  const { outputOf, routeOf, settle } = createChain({ unit: 1n, reserve })
  const idle = async (route: Route) => {
    const settled = await settle(route)
    const [step] = settled.steps
    return step ? { ...settled, steps: [step, { ...step, amountIn: 1n, amountOut: 0n }] } : settled
  }
  const wanted = 10n ** 21n
  const target = outputOf(wanted)
  const route = routeOf((wanted * 1_001n) / 1_000n)
  const settled = await settleInput({ route, target, most: 2n * wanted, settle: idle })
  assert.ok(settled && settled.amountOut >= target)
})

s('ends where a pool refuses, and where the most is not enough', async () => {
  const { outputOf, routeOf, settle } = createChain({ unit: 1n, reserve })
  const bounds = { target: outputOf(10n ** 21n), most: 10n ** 21n - 10n ** 18n }
  const route = routeOf(9n * 10n ** 20n)
  assert.is(await settleInput({ ...bounds, route, settle }), undefined)
  assert.is(await settleInput({ ...bounds, route, settle: async () => undefined }), undefined)
})

s('is content with a single unit where one is asked for [teeth/one-unit]', async () => {
  const { routeOf, settle } = askOf({ unit: 1n, outputOf: (amountIn) => (amountIn > 2n ? 1n : 0n) })
  const found = await settleInput({ route: routeOf(9n), target: 1n, most: 10n, settle })
  assert.is(found?.amountOut, 1n)
})

/** What is asked of pools that give as much as they take, and what comes of it. */
async function askLine({
  start,
  target,
  most = 10n ** 30n,
}: {
  readonly start: bigint
  readonly target: bigint
  readonly most?: bigint
}) {
  const { routeOf, settle, questions } = askOf({ unit: 1n, outputOf: (amountIn) => amountIn })
  const found = await settleInput({ route: routeOf(start), target, most, settle })
  return [found?.amountIn, ...questions]
}
s(
  'asks along the line through what it was told, and by halves at last [teeth/settle-input]',
  async () => {
    assert.equal(await askLine({ start: 1_000n, target: 500n }), [
      500n,
      1_000n,
      501n,
      497n,
      499n,
      500n,
    ])
    assert.equal(await askLine({ start: 400n, target: 500n }), [500n, 400n, 601n, 501n, 499n, 500n])
    assert.equal(await askLine({ start: 500n, target: 500n }), [500n, 500n, 498n, 499n])
  },
)
s('asks for no more than the most, and for that once [teeth/settle-input]', async () => {
  const line = { start: 400n, target: 500n }
  assert.equal(await askLine({ ...line, most: 550n }), [500n, 400n, 550n, 501n, 499n, 500n])
  assert.equal(await askLine({ ...line, most: 500n }), [500n, 400n, 500n, 498n, 499n])
  assert.equal(await askLine({ ...line, most: 499n }), [undefined, 400n, 499n])
  assert.equal(await askLine({ ...line, most: 400n }), [undefined, 400n])
})
s('is content with a millionth too much [teeth/settle-input]', async () => {
  const half = 5n * 10n ** 11n
  assert.equal(await askLine({ start: 2n * half, target: half }), [half + 1n, 2n * half, half + 1n])
  const target = 10n ** 12n
  const enough = target + 10n ** 6n
  assert.equal(await askLine({ start: enough, target }), [enough, enough])
  assert.ok((await askLine({ start: enough + 1n, target })).length > 2)
})
s('asks fourteen times at most [teeth/settle-input]', async () => {
  let asked = 0
  const route = askOf({ unit: 1n, outputOf: () => 7n }).routeOf(10n ** 30n)
  // Of what is counted in tenths of it nobody knows whether less would do.
  const steps = route.steps.map((step) => ({ ...step, amountIn: 10n, amountOut: 10n }))
  const settle = async (one: Route) => {
    asked += 1
    return { ...one, amountOut: 7n, steps }
  }
  const found = await settleInput({ route, target: 7n, most: 10n ** 30n, settle })
  assert.ok((found?.amountIn ?? route.amountIn) < route.amountIn)
  assert.equal([asked, mostSettlings], [14, 14])
})

s.run()
