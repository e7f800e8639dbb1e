import { startLabPool } from './labPool.ts'

/**
 * vitest's `globalSetup: 'forkyard/testing/vitest'`: labs for all workers, started once. Every
 * `lease()` of a test then takes one of them. `FORKYARD_LEASE_LABS` says how many (default 1).
 */
export default async function setup(): Promise<() => Promise<void>> {
  const pool = await startLabPool({ size: Number(process.env['FORKYARD_LEASE_LABS'] || 1) })
  return pool.close
}
