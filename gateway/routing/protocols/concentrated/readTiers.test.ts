import { createClient, custom, type Hex, hexToNumber, numberToHex, zeroAddress } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { base } from '../../../chain/base.ts'
import { toViemChain } from '../../../chain/client.ts'
import type { Dex } from '../../../chain/dex.ts'
import { createReadTiers } from './readTiers.ts'

const hourMs = 3_600_000
const dex: Dex = {
  name: 'some-v3',
  label: 'Some',
  protocol: 'uniswap_v3',
  factory: zeroAddress,
  feesPips: [500, 3_000],
  deployBlock: 10,
}

/** A node with a factory that enables tiers: which, and at which block. */
function createNode(tiers: (readonly [feePips: number, block: number])[]) {
  const state = { isDown: false }
  const asked: (readonly [from: number, to: number])[] = []
  const request = async ({ params: [filter] }: { params: [{ fromBlock: Hex; toBlock: Hex }] }) => {
    const [from, to] = [hexToNumber(filter.fromBlock), hexToNumber(filter.toBlock)]
    asked.push([from, to])
    if (state.isDown) throw new Error('not now')
    return tiers
      .filter(([, block]) => from <= block && block <= to)
      .map(([feePips]) => ({
        topics: [0, feePips, 0].map((word) => numberToHex(word, { size: 32 })),
        data: '0x',
      }))
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  return {
    state,
    asked,
    tiers,
    deps: { client: createClient({ chain: toViemChain(base), transport }) },
  }
}

const s = suite('fee tiers of factories')

s('are those of the row and those that its events name, read once [21/tiers-read]', async () => {
  const { deps, asked } = createNode([
    [500, 10],
    [250, 700],
  ])
  const readTiers = createReadTiers({ now: () => 0 })
  const ask = () => readTiers(deps, { dex, blockNumber: 1_000n })
  const answers = await Promise.all([ask(), ask()])
  for (const fees of [...answers, await ask()]) assert.equal(fees, [500, 3_000, 250])
  assert.equal(asked, [[10, 1_000]])
})

s('are kept, and read on from there every day [21/tiers-daily]', async () => {
  const { deps, asked, tiers } = createNode([[250, 700]])
  let nowMs = 0
  const readTiers = createReadTiers({ now: () => nowMs })
  await readTiers(deps, { dex, blockNumber: 1_000n })
  tiers.push([750, 2_000])
  nowMs = 24 * hourMs - 1
  assert.equal(await readTiers(deps, { dex, blockNumber: 40_000n }), [500, 3_000, 250])
  nowMs = 24 * hourMs
  assert.equal(await readTiers(deps, { dex, blockNumber: 41_000n }), [500, 3_000, 250, 750])
  assert.equal(asked, [
    [10, 1_000],
    // Read once more: a reorganisation may have brought something.
    [936, 41_000],
  ])
})

s('are asked for again in an hour where the node did not tell of all [21/tiers-gap]', async () => {
  const { deps, asked, state } = createNode([[250, 700]])
  let nowMs = 0
  const readTiers = createReadTiers({ now: () => nowMs })
  const ask = (blockNumber: bigint) => readTiers(deps, { dex, blockNumber })
  state.isDown = true
  assert.equal(await ask(1_000n), [500, 3_000])
  state.isDown = false
  nowMs = hourMs - 1
  assert.equal(await ask(2_000n), [500, 3_000])
  nowMs = hourMs
  assert.equal(await ask(2_000n), [500, 3_000, 250])
  assert.equal(asked.at(-1), [10, 2_000])
  const far = createNode([])
  far.state.isDown = true
  await createReadTiers()(far.deps, { dex, blockNumber: 100_000n })
  assert.is(far.asked.length, 8, 'nobody asks for ever')
})

s('are none that no factory could have, and no endless number [21/tiers-bounds]', async () => {
  const flood = Array.from({ length: 5_000 }, (_, n) => [n + 1, 20] as const)
  const { deps } = createNode([[2_000_000, 11], [2 ** 40, 12], ...flood])
  const fees = await createReadTiers()(deps, { dex, blockNumber: 1_000n })
  assert.equal([fees.length, fees.at(-1)], [64, 62])
  const whole = createNode([
    [1_000_000, 11],
    [999_999, 12],
  ])
  const most = await createReadTiers()(whole.deps, { dex, blockNumber: 1_000n })
  assert.equal(most, [500, 3_000, 999_999])
})

s('are those of one factory, and read from its first block on [21/tiers-daily]', async () => {
  const { deps, asked } = createNode([[250, 15]])
  let nowMs = 0
  const readTiers = createReadTiers({ now: () => nowMs })
  await readTiers(deps, { dex, blockNumber: 20n })
  const other: Dex = { ...dex, factory: '0x00000000000000000000000000000000000000bb' }
  assert.equal(await readTiers(deps, { dex: other, blockNumber: 14n }), [500, 3_000])
  nowMs = 24 * hourMs
  // What a reorganisation reaches is not settled.
  await readTiers(deps, { dex, blockNumber: 41_000n })
  assert.equal(asked, [
    [10, 20],
    [10, 14],
    [10, 41_000],
  ])
})
s('are kept by the clock of the process where no other is given [21/tiers-read]', async () => {
  const { deps, asked } = createNode([])
  const readTiers = createReadTiers()
  for (const blockNumber of [1_000n, 2_000n]) await readTiers(deps, { dex, blockNumber })
  assert.equal(asked, [[10, 1_000]])
})

s('are none that another endpoint alone tells of [nodes/tiers-alone]', async () => {
  const first = createNode([])
  const other = createNode([[250, 700]])
  const deps = { ...first.deps, others: () => [other.deps] }
  assert.equal(await createReadTiers()(deps, { dex, blockNumber: 1_000n }), [500, 3_000])
  assert.equal(other.asked, [])
})
s.run()
