import { after, afterEach, before } from 'node:test'
import { type Lease, type LeaseOptions, lease } from './lease.ts'
import { heldLease, keepState } from './uvu.ts'

/**
 * Gives the `describe` block, or the file, that calls it a lease of node:test's hooks.
 * Each test starts from the same chains.
 */
export function leaseForTests(options: LeaseOptions = {}): () => Lease {
  let current: Lease | undefined
  let putBack = async () => {}
  before(async () => {
    current = await lease(options)
    putBack = await keepState(current)
  })
  afterEach(() => putBack())
  after(async () => {
    await current?.release()
  })
  return () => heldLease(current)
}
