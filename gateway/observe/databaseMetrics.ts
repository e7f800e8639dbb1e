import { Gauge, type Registry } from 'prom-client'

/** Shows what the database takes and has left, and how long ago its backups were made and tried. */
export function createDatabaseMetrics(
  { registry }: { readonly registry: Registry },
  { now }: { readonly now: () => number },
) {
  const registers = [registry]
  const bytes = new Gauge({
    name: 'forkyard_database_bytes',
    help: 'Of the database: its size; of its disk, where that is known: disk and free',
    labelNames: ['kind'] as const,
    registers,
  })
  function showAge(name: string, help: string) {
    let lastMs: number | undefined
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(lastMs === undefined ? Number.POSITIVE_INFINITY : (now() - lastMs) / 1000)
      },
    })
    return (ms: number | undefined) => {
      lastMs = ms
    }
  }
  const backedUp = showAge(
    'forkyard_backup_age_seconds',
    'Since `forkyard backups` made the last backup of this database; infinite: never',
  )
  const tested = showAge(
    'forkyard_restore_test_age_seconds',
    'Since the last backup was restored elsewhere and its books balanced; infinite: never',
  )
  return {
    measured(sizes: Readonly<Partial<Record<'size' | 'disk' | 'free', number>>>) {
      for (const [kind, value] of Object.entries(sizes)) bytes.set({ kind }, value)
    },
    backedUp,
    tested,
  }
}
