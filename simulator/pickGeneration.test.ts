import { mock } from 'node:test'
import { assert, suite } from '../fixtures/test.ts'
import { WrongUpstream } from './makeFork.ts'
import { isStillHead, pickGeneration } from './pickGeneration.ts'
import type { RollingForks } from './rollingForks.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import type { LiveGeneration } from './standingForks.ts'
import type { BlockId, Upstream } from './upstream.ts'

const s = suite('the fork that may answer')
const chainId = 8453
const freshness = { mode: 'head' } as const

const block = (number: bigint): BlockId => ({
  blockNumber: number,
  blockHash: `0x${number}`,
  timestampSecs: number,
})

function stand(number: bigint): LiveGeneration {
  const fork = { isAlive: () => true }
  return { ...block(number), fork, askedAtMs: 0 } as LiveGeneration
}

/** A chain whose head is 8, and a fork of 7; another one is made after `failures` attempts. */
function createChain({ failures, isSilent = false }: { failures: number; isSilent?: boolean }) {
  let current = stand(7n)
  let attempts = 0
  const upstream = {
    readHead: async () => (isSilent ? Promise.reject(new Error('silent')) : block(8n)),
  } as Upstream
  const forks = {
    current: () => current,
    isClosed: () => false,
    async rollTo() {
      attempts += 1
      if (attempts <= failures) throw new Error('the fork did not start')
      current = stand(8n)
    },
  } as unknown as RollingForks
  const deps = { upstream, forks, now: () => performance.now() }
  const pick = () => {
    const arrivedAtMs = performance.now()
    return pickGeneration(deps, { chainId, freshness, arrivedAtMs, minBlock: 0n }).then(
      ({ blockNumber }) => blockNumber,
      (error: unknown) => (error instanceof SimulatorUnavailable ? error.message : error),
    )
  }
  return { deps, pick }
}

s('is of the head, though it could not be made at first [sim/head]', async () => {
  assert.is(await createChain({ failures: 2 }).pick(), 8n)
})

s('is none where the head is known and no fork of it can be made [sim/no-head]', async () => {
  const reason = 'no fork of the head in time'
  const { pick } = createChain({ failures: Number.POSITIVE_INFINITY })
  assert.is(await pick(), `simulator unavailable on chain ${chainId}: ${reason}`)
})

s(
  'is the one that stands while the chain says nothing of its head [sim/silent-chain]',
  async () => {
    const { deps, pick } = createChain({ failures: 0, isSilent: true })
    assert.is(await pick(), 7n)
    assert.ok(await isStillHead(deps, { freshness, live: stand(7n) }))
  },
)
/** A chain that shows a block more each time its head is read; forks of `lag` blocks before it. */
function createMovingChain({ head: first, lag }: { readonly head: bigint; readonly lag: number }) {
  let head = first
  let current = stand(first - 2n)
  const made: bigint[] = []
  const upstream = {
    readHead: async () => block(++head),
    readBlock: async ({ blockNumber }) => block(blockNumber),
  } as Upstream
  const forks = {
    current: () => current,
    isClosed: () => false,
    async rollTo({ blockNumber }: BlockId) {
      made.push(blockNumber)
      current = { ...stand(blockNumber), askedAtMs: performance.now() }
    },
  } as unknown as RollingForks
  const following = { mode: 'interval', everyMs: 1_000, lagBlocks: lag } as const
  const pick = (minBlock: bigint) =>
    pickGeneration(
      { upstream, forks, now: () => performance.now() },
      { chainId, freshness: following, arrivedAtMs: performance.now(), minBlock },
    ).then(({ blockNumber }) => blockNumber)
  return { made, pick }
}

s('is made of no block before the one that is asked for [sim/no-early-fork]', async () => {
  const { made, pick } = createMovingChain({ head: 10n, lag: 1 })
  assert.is(await pick(12n), 12n)
  assert.equal(made, [12n])
})

s('is not made anew where another one of that block stands [sim/enough-fork]', async () => {
  const { made, pick } = createMovingChain({ head: 10n, lag: 0 })
  await Promise.all([pick(9n), pick(10n), pick(11n)])
  assert.is(made.length, 1)
})

type Given = {
  readonly standing?: LiveGeneration | undefined
  readonly mode?: 'head' | 'interval'
  readonly minBlock?: bigint
  readonly head?: bigint
  readonly isSilent?: boolean
  /** What making one comes to. */
  readonly roll?: (target: BlockId) => Promise<LiveGeneration | undefined>
}
const arrivedAtMs = 1_000
/** By a clock that is moved by so much with each pause. */
async function pickBy({
  standing,
  mode = 'head',
  minBlock = 0n,
  head = 8n,
  isSilent = false,
  roll = async ({ blockNumber }) => ({ ...stand(blockNumber), askedAtMs: arrivedAtMs }),
}: Given) {
  mock.timers.enable({ apis: ['setTimeout'] })
  let [current, nowMs] = [standing, arrivedAtMs]
  const rolled: bigint[] = []
  const deps = {
    now: () => nowMs,
    upstream: {
      readHead: async () => (isSilent ? Promise.reject(new Error('silent')) : block(head)),
    } as Upstream,
    forks: {
      current: () => current,
      isClosed: () => false,
      async rollTo(target: BlockId) {
        rolled.push(target.blockNumber)
        current = (await roll(target)) ?? current
      },
    } as unknown as RollingForks,
  }
  const given = mode === 'head' ? freshness : ({ mode, everyMs: 1_000 } as const)
  const question = { chainId, freshness: given, arrivedAtMs, minBlock }
  let isOver = false
  const picking = pickGeneration(deps, question)
    .then(
      ({ blockNumber }) => blockNumber,
      (error: unknown) => (error instanceof SimulatorUnavailable ? error.message : error),
    )
    .finally(() => {
      isOver = true
    })
  while (!isOver && nowMs < 60_000) {
    for (let n = 0; n < 10; n += 1) await new Promise(setImmediate)
    if (isOver) break
    mock.timers.tick(50)
    nowMs += 50
  }
  mock.timers.reset()
  return { answer: await picking, rolled, tookMs: nowMs - arrivedAtMs }
}
const none = (reason: string) => `simulator unavailable on chain ${chainId}: ${reason}`

s(
  "is the one that stands, where that is recent enough by its chain's measure [teeth/pick]",
  async () => {
    const standing = stand(7n)
    assert.equal(await pickBy({ standing, mode: 'interval' }), {
      answer: 7n,
      rolled: [],
      tookMs: 0,
    })
    assert.equal((await pickBy({ standing, mode: 'interval', minBlock: 7n })).rolled, [])
    assert.equal((await pickBy({ standing, mode: 'interval', minBlock: 8n })).answer, 8n)
    const head = await pickBy({ standing: stand(8n) })
    assert.equal([head.answer, head.rolled], [8n, []])
    const dead = { ...stand(8n), fork: { isAlive: () => false } } as LiveGeneration
    assert.equal((await pickBy({ standing: dead })).rolled, [8n])
  },
)
s('is none while the asked block is not there, for six seconds [teeth/pick]', async () => {
  const { answer, rolled, tookMs } = await pickBy({ standing: stand(7n), minBlock: 9n })
  assert.equal([answer, rolled], [none('the asked block is not there yet'), []])
  assert.equal(tookMs, 6_000)
  const without = await pickBy({ minBlock: 9n })
  assert.is(without.answer, none('no fork stands'))
})
s(
  'is none where four in a row could not be made, with a pause after each [teeth/pick]',
  async () => {
    const roll = () => Promise.reject(new Error('no memory'))
    const late = await pickBy({ standing: { ...stand(7n), askedAtMs: -1 }, roll })
    assert.equal([late.answer, late.rolled.length], [none('no fork of the head in time'), 4])
    assert.is(late.tookMs, 900)
    assert.is((await pickBy({ roll })).answer, none('no fork stands'))
  },
)
s(
  'is none of a wrong chain, at once, nor of one that is silent and has none [teeth/pick]',
  async () => {
    const wrong = new WrongUpstream({ chainId, reason: 'its upstream is another chain' })
    const { answer, rolled, tookMs } = await pickBy({ roll: () => Promise.reject(wrong) })
    assert.equal([answer, rolled.length, tookMs], [none('its upstream is another chain'), 1, 0])
    assert.is((await pickBy({ isSilent: true })).answer, none('no fork stands'))
    for (const [minBlock, has] of [
      [8n, 7n],
      [1n, 0n],
    ] as const) {
      const far = await pickBy({ isSilent: true, standing: stand(has), minBlock })
      assert.is(far.answer, none('the asked block is not there yet'))
    }
    const standing = { ...stand(8n), fork: { isAlive: () => false } } as LiveGeneration
    assert.is((await pickBy({ isSilent: true, standing })).answer, none('no fork stands'))
  },
)
s('is another one where what was made came before the request [teeth/pick]', async () => {
  let made = 0
  const early = async ({ blockNumber }: BlockId) => {
    made += 1
    return {
      ...stand(blockNumber),
      askedAtMs: arrivedAtMs - (made === 1 ? 1 : 0),
      blockHash: `0x${made}` as const,
    }
  }
  const { answer, rolled } = await pickBy({ roll: early })
  assert.equal([answer, rolled], [8n, [8n, 8n]])
})
s('is still of the head unless the chain says that it is not [teeth/pick]', async () => {
  const deps = (head: bigint) => ({
    now: () => 0,
    upstream: { readHead: async () => block(head) } as Upstream,
    forks: {} as RollingForks,
  })
  const live = stand(7n)
  assert.equal(
    [
      await isStillHead(deps(7n), { freshness, live }),
      await isStillHead(deps(8n), { freshness, live }),
      await isStillHead(deps(8n), { freshness: { mode: 'interval', everyMs: 1 }, live }),
    ],
    [true, false, true],
  )
})
s.run()
