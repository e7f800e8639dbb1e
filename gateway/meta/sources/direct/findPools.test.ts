import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { hub, openDex, spare } from '../../../../fixtures/meta/directRouters.ts'
import { router, usdc, weth } from '../../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { createPathLister, describePath, findPaths } from './findPools.ts'

const s = suite('meta/direct/findPools')
const signal = new AbortController().signal
const abi = parseAbi(['function pool(address a, address b, uint24 key) returns (bool isThere)'])
const tokens = { a: usdc, b: weth, h: hub } as const
const nameOf = (address: Address) =>
  Object.entries(tokens).find(([, token]) => token === address)?.[0] ?? '?'

/** An exchange with these pools, each named by its tokens in order and what it is found by. */
function open(...pools: readonly string[]) {
  let nowMs = 0
  const there = new Set(pools)
  const asked: string[] = []
  const isThere = (a: Address, b: Address, key: number) => {
    const pair = [nameOf(a), nameOf(b)].sort().join('')
    asked.push(`${pair}${key}`)
    return there.has(`${pair}${key}`)
  }
  const { dex } = openDex({
    [router]: { 'pool(address, address, uint24) returns (bool)': isThere },
  })
  const list = createPathLister<number>(
    {
      keysOf: ({ feesPips }) => feesPips,
      askPool: (_, { a, b, key }) => ({
        target: router,
        data: encodeFunctionData({ abi, functionName: 'pool', args: [a, b, key] }),
      }),
      isPool: (data) => BigInt(data) === 1n,
    },
    { now: () => nowMs },
  )
  async function ask(...paths: readonly string[]) {
    asked.length = 0
    const tokenPaths = paths.map((path) =>
      [...path].map((name) => tokens[name as keyof typeof tokens]),
    )
    const found = await list({ ...dex, feesPips: [1, 2] }, { tokenPaths, signal })
    return found.map(({ tokens: along, keys }) => `${along.map(nameOf).join('')} ${keys}`)
  }
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { ask, asked, there, pass }
}

s('goes straight and over each hub that is neither end, whatever their case', () => {
  const lower = usdc.toLowerCase() as Address
  assert.equal(findPaths(usdc, weth, [hub, lower, weth, spare]), [
    [usdc, weth],
    [usdc, hub, weth],
    [usdc, spare, weth],
  ])
  assert.equal(findPaths(usdc, weth, []), [[usdc, weth]])
})
s('shows a path by its tokens and what lies between', () => {
  const tokensAlong = [usdc, hub, weth]
  const shown = describePath({ tokens: tokensAlong, keys: [true, false] }, (key) => `is ${key}`)
  assert.is(shown, `${usdc}[is true]>${hub}[is false]>${weth}`)
})
s('lists each way over pools that there are, and none where one is missing', async () => {
  const { ask, asked } = open('ab1', 'ab2', 'ah1', 'ah2', 'bh2')
  assert.equal(await ask('ab', 'ahb'), ['ab 1', 'ab 2', 'ahb 1,2', 'ahb 2,2'])
  assert.equal(asked.toSorted(), ['ab1', 'ab2', 'ah1', 'ah2', 'bh1', 'bh2'])
  assert.equal(await open('ah1').ask('ahb', 'ab'), [])
})
s('believes for a minute what it has read of a pair, from either end', async () => {
  const { ask, asked, there, pass } = open('ab1')
  assert.equal(await ask('ab'), ['ab 1'])
  there.add('ab2')
  pass(59_999)
  assert.equal([await ask('ba'), asked], [['ba 1'], []])
  pass(1)
  assert.equal(
    [await ask('ab'), asked],
    [
      ['ab 1', 'ab 2'],
      ['ab1', 'ab2'],
    ],
  )
})
s.run()
