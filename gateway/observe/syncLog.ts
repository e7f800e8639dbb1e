import type { SyncEvent } from '../routing/sync/syncEvent.ts'
import { createFewLines } from './fewLines.ts'
import type { Log } from './log.ts'

const levels: Partial<Readonly<Record<SyncEvent['event'], 'warn' | 'debug'>>> = {
  failed: 'warn',
  reorged: 'warn',
  ['logs_missed']: 'warn',
  healed: 'warn',
  // Blooms name pools by chance, too.
  ['logs_doubted']: 'debug',
}

/** Logs what happens to the chains' state; of failures the last of some seconds, how many they were and over how long. */
export function createSyncLog(
  log: Pick<Log, 'info' | 'warn' | 'debug'>,
  { now }: { readonly now: () => number },
) {
  const few = createFewLines<number>({ now })
  return (event: SyncEvent): void => {
    const level = levels[event.event] ?? 'info'
    if (event.event !== 'failed') {
      log[level](event, `sync: ${event.event}`)
      return
    }
    const failing = few(event.chainId)
    if (failing) log[level]({ ...event, ...failing }, 'sync: failed')
  }
}
