import type { SyncEvent } from '../routing/sync/syncEvent.ts'
import type { Log } from './log.ts'

const levels: Partial<Readonly<Record<SyncEvent['event'], 'warn' | 'debug'>>> = {
  failed: 'warn',
  reorged: 'warn',
  ['logs_missed']: 'warn',
  healed: 'warn',
  // Blooms name pools by chance, too.
  ['logs_doubted']: 'debug',
}

/** Between two lines of what fails on a chain: while its node is away that is every poll. */
const failedEachMs = 10_000

/** Logs what happens to the chains' state; of failures the last of some seconds, how many they were and over how long. */
export function createSyncLog(
  log: Pick<Log, 'info' | 'warn' | 'debug'>,
  { now }: { readonly now: () => number },
) {
  const failures = new Map<number, { toldMs: number; times: number }>()
  return (event: SyncEvent): void => {
    const level = levels[event.event] ?? 'info'
    if (event.event !== 'failed') {
      log[level](event, `sync: ${event.event}`)
      return
    }
    const known = failures.get(event.chainId)
    const times = (known?.times ?? 0) + 1
    const overMs = now() - (known?.toldMs ?? now())
    if (known && overMs < failedEachMs) {
      failures.set(event.chainId, { ...known, times })
      return
    }
    failures.set(event.chainId, { toldMs: now(), times: 0 })
    log[level]({ ...event, times, ...(known && { overMs }) }, 'sync: failed')
  }
}
