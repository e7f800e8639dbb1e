import { Gauge, type Registry } from 'prom-client'

type Sizes = Readonly<Partial<Record<'size' | 'disk' | 'free', number>>>

const show = (gauge: Gauge<'kind'>) => (sizes: Sizes) => {
  for (const [kind, value] of Object.entries(sizes)) gauge.set({ kind }, value)
}

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
  const backupBytes = new Gauge({
    name: 'forkyard_backup_disk_bytes',
    help: 'Of the disk of the backups, when the last one had been made: disk and free; absent: unknown',
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
    measured: show(bytes),
    backedUpTo: show(backupBytes),
    backedUp,
    tested,
  }
}
