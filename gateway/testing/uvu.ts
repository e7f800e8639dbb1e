import type { Test } from 'uvu'
import { type Lease, type LeaseOptions, lease } from './lease.ts'

/**
 * Gives a uvu suite a lease: `const leased = leaseForSuite(suite)`, then `leased()` in its tests.
 * It comes before the first test and goes after the last; each test starts from the same chains.
 */
export function leaseForSuite(suite: Test, options: LeaseOptions = {}): () => Lease {
  let current: Lease | undefined
  let putBack = async () => {}
  suite.before(async () => {
    current = await lease(options)
    putBack = await keepState(current)
  })
  suite.after.each(() => putBack())
  suite.after(async () => {
    await current?.release()
  })
  return () => heldLease(current)
}

/** Remembers the chains of a lease as they are; what it returns puts them back. */
export async function keepState({ chains }: Lease): Promise<() => Promise<void>> {
  const kept = await Promise.all(
    Object.values(chains).map(async (chain) => ({ chain, snapshot: await chain.snapshot() })),
  )
  return async () => {
    await Promise.all(kept.map(({ chain, snapshot }) => chain.revert(snapshot)))
  }
}

export function heldLease(current: Lease | undefined): Lease {
  if (!current) throw new Error('the lease is there once the tests run')
  return current
}
