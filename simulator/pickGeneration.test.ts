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
s.run()
