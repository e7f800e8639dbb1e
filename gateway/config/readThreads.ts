import { availableParallelism } from 'node:os'
import type { ProcessSettings } from './settings.ts'

/** As `ROUTING_THREADS` may name at most. */
const mostThreads = 64

/** A lab is asked little, and its start is waited for. */
export function readThreads({
  ROUTING_THREADS: given,
  FORKYARD_MODE: mode,
}: ProcessSettings): number {
  if (given !== '') return Number(given)
  return mode === 'live' ? Math.min(availableParallelism() - 1, mostThreads) : 0
}
