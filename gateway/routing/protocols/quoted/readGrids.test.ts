import { pad, toHex } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { type AskedGrid, createSampleLens } from '../../testing/sampleLens.ts'
import { createViewNode, fakeAddress } from '../../testing/viewNode.ts'
import { readGrids, type SampledDirection } from './readGrids.ts'

const s = suite('grids of quoters')
const [pool, ...tokens] = [fakeAddress(1), fakeAddress(2), fakeAddress(3)]
const blockNumber = 7n
const [part, whole] = [10n ** 9n, 10n ** 18n]
const roughTop = 1n << 96n

function directionOf(i: number, own: Partial<SampledDirection> = {}): SampledDirection {
  return {
    index: 0,
    i,
    j: 1 - i,
    holder: fakeAddress(1),
    token: tokens[i],
    ask: (amountIn) => ({ target: fakeAddress(1), data: pad(toHex(amountIn), { size: 32 }) }),
    readOutput: ([output]) => output,
    ...own,
  }
}

type Pool = {
  /** What it has of both tokens; it sells no more than that. */
  readonly has: readonly [bigint, bigint]
  readonly quote?: (amountIn: bigint) => bigint
  readonly isBurnt?: (grid: AskedGrid) => boolean
  /** What the directions are told to be all there is to sell. */
  readonly held?: readonly [bigint, bigint]
  readonly limits?: readonly [bigint, bigint]
}

/** What is known in the end of selling the first token, and the largest amounts of what was asked about it. */
async function read({ has, quote = (amountIn) => 2n * amountIn, isBurnt, held, limits }: Pool) {
  const lens = createSampleLens({
    heldOf: (token) => has[token === tokens[0] ? 0 : 1],
    quote(token, amountIn) {
      const output = quote(amountIn)
      return output <= has[token === tokens[0] ? 1 : 0] ? output : undefined
    },
    isBurnt,
  })
  const { deps, failures } = createViewNode([], { sample: lens.sample })
  const [grid] = await readGrids(deps, {
    directions: [0, 1].map((i) => directionOf(i, { held: held?.[i] })),
    limits: limits && Promise.resolve([limits]),
    blockNumber,
  })
  if (!grid) throw new Error('there is no grid')
  const asked = lens.asked.filter(({ token }) => token.toLowerCase() === tokens[0])
  return { grid, asked, tops: asked.map(({ top }) => top), last: grid.samples.at(-1), failures }
}
const topsOf = async (parameters: Pool) => (await read(parameters)).tops

s('of as much as a pool holds are drawn once [teeth/grids]', async () => {
  const { grid, tops, asked } = await read({ has: [whole, whole] })
  assert.equal(tops, [whole])
  assert.equal([asked[0]?.points, asked[0]?.ratio, grid.held], [14, 3n, whole])
  // For the last of them it has not enough, and that of the others which it has.
  assert.equal(
    grid.samples.slice(-2).map(({ output }) => output),
    [2n * (whole / 3n), 0n],
  )
})
s('are drawn anew where all that is held buys less than a quarter [teeth/grids]', async () => {
  assert.equal(await topsOf({ has: [part, 8n * part] }), [part])
  const { grid, tops, last } = await read({ has: [part - 1n, 8n * part] })
  assert.equal(tops, [part - 1n, 4n * part])
  assert.equal(last, { amountIn: 4n * part, output: 8n * part })
  assert.is(grid.held, part - 1n, 'it holds no more for that')
  assert.equal(await topsOf({ has: [1n, whole], quote: (amountIn) => amountIn }), [1n, whole])
})
s('look for a price among amounts of all sizes where nothing is held [teeth/grids]', async () => {
  const { tops, asked, last } = await read({ has: [0n, whole] })
  assert.equal(tops, [0n, roughTop, whole / 2n])
  assert.equal(
    asked.map(({ points, ratio }) => [points, ratio]),
    [
      [14, 3n],
      [6, 1n << 16n],
      [14, 3n],
    ],
  )
  assert.is(last?.output, whole)
  // Of less than a thousand units nobody asks the price.
  assert.equal(await topsOf({ has: [0n, 1_000n] }), [0n, roughTop])
  assert.equal(await topsOf({ has: [0n, 999n] }), [0n])
})
s('take the price of the least amount that tells one [teeth/grids]', async () => {
  const dear = (amountIn: bigint) => (amountIn <= 500n ? 2n * amountIn : amountIn)
  const held = 500n * 3n ** 13n
  assert.equal(await topsOf({ has: [held, whole], quote: dear }), [held, whole / 2n])
  // Of 2^80 a single unit, and more than there is of the next.
  const coarse = (amountIn: bigint) => amountIn >> 80n
  assert.equal(await topsOf({ has: [0n, 1_500n], quote: coarse }), [0n, roughTop, 1_500n << 80n])
})
s('stay as they were where the wider ones tell no more [teeth/grids]', async () => {
  const flat = await read({ has: [part, 8n * part], quote: () => 5_000n })
  assert.equal([flat.tops, flat.last?.amountIn], [[part, 1_003_200_000n], part])
  const has = [part - 1n, 8n * part] as const
  const burnt = await read({ has, isBurnt: ({ top }) => top === 4n * part })
  assert.equal([burnt.tops.length, burnt.last?.amountIn], [2, part - 1n])
  assert.equal(burnt.failures, [], 'a pool is no worse for amounts that are not its own')
})
s('of quoters that burn what they are given are not asked for more [teeth/grids]', async () => {
  const first = await read({ has: [0n, whole], isBurnt: () => true })
  assert.equal([first.tops, first.failures.includes(`burnt ${pool}`)], [[0n], true])
  const rough = await topsOf({ has: [0n, whole], isBurnt: ({ top }) => top === roughTop })
  assert.equal(rough, [0n, roughTop])
})
s('ask nobody what a vault holds of others [teeth/grids]', async () => {
  const has = [whole, whole] as const
  const { tops, grid } = await read({ has, held: [0n, whole] })
  assert.equal([tops, grid.held], [[roughTop, whole / 2n], 0n])
  assert.equal(await topsOf({ has, held: [1n, whole] }), [1n, whole / 2n])
  const empty = await read({ has, held: [0n, 0n] })
  assert.equal(
    [empty.tops, empty.grid.samples],
    [[], Array.from({ length: 14 }, () => ({ amountIn: 0n, output: 0n }))],
  )
})
s('tell of nothing that is beyond what a pool pays [teeth/grids]', async () => {
  const has = [part - 1n, 8n * part] as const
  assert.equal(await topsOf({ has, limits: [0n, 4n * part] }), [part - 1n])
  const { grid } = await read({ has, limits: [0n, part] })
  const outputs = grid.samples.slice(-2).map(({ output }) => output)
  assert.equal(outputs, [2n * ((part - 1n) / 3n), 0n])
})
s.run()
