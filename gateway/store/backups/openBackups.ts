import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { loadOptional } from '../../runtime/loadOptional.ts'
import { backupDatabase, restoreDatabase } from '../backup.ts'
import type { DatabaseConfig } from '../openConfiguredStore.ts'
import { type Backup, findBackup, sqliteName } from './backupFolder.ts'

/** How one database is backed up in a folder. */
export type Backups = {
  /** The path of a new backup, whole and checked. */
  make(): Promise<string>
  /** False where what is written since the last backup is lost to it, though it should not be. */
  isFollowing(): Promise<boolean>
  close(): Promise<void>
}

type Where = { readonly database: DatabaseConfig; readonly folder: string }

export async function openBackups({
  database: { databasePath, databaseUrl: url },
  folder,
}: Where): Promise<Backups> {
  if (url !== undefined) {
    const load = () => import('./postgresSeries.ts')
    const { createPostgresBackups } = await loadOptional('pg', load)
    return createPostgresBackups({ url, folder })
  }
  return {
    async make() {
      const to = join(folder, sqliteName(Date.now()))
      await backupDatabase({ path: databasePath, to })
      return to
    },
    isFollowing: async () => true,
    close: async () => undefined,
  }
}

/** @throws Error where the folder has none from before that moment */
export function requireBackup(folder: string, toMs?: number): Backup {
  const backup = findBackup(folder, toMs)
  if (backup) return backup
  const before = toMs === undefined ? '' : ` from before ${new Date(toMs).toISOString()}`
  throw new Error(`${folder} has no whole backup${before}`)
}

/** Restores a backup in the folder's own `restoring`, has it used there, and removes it. */
export async function tryRestore<value>(
  { database: { databaseUrl: url }, folder }: Where,
  { toMs }: { readonly toMs?: number | undefined },
  use: (restored: DatabaseConfig) => Promise<value>,
): Promise<{ readonly path: string; readonly found: value }> {
  const backup = requireBackup(folder, toMs)
  const room = join(folder, 'restoring')
  const remove = () => rmSync(room, { recursive: true, force: true })
  remove() // what a killed one left
  try {
    if (url === undefined) {
      await restoreDatabase({ path: room, from: backup.path })
      const found = await use({ databasePath: room, databaseUrl: undefined })
      return { path: backup.path, found }
    }
    const load = () => import('./recoverPostgres.ts')
    const { recoverPostgres } = await loadOptional('pg', load)
    const recovered = await recoverPostgres({ backup, toMs, data: room, url })
    try {
      const found = await use({ databasePath: '', databaseUrl: recovered.url })
      return { path: backup.path, found }
    } finally {
      await recovered.stop()
    }
  } finally {
    remove()
  }
}
