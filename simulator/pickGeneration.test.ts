import { assert, suite } from '../fixtures/test.ts'
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
s.run()
