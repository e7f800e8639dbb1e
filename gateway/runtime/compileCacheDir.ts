import { statSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir } from './cacheDir.ts'

const writableByOthers = 0o002

/**
 * Where compiled modules are kept. Undefined where somebody else could put them there: what lies in it is run
 * without a look at its source.
 */
export function compileCacheDir(uid = process.getuid?.()): string | undefined {
  const dir = join(cacheDir(), 'node')
  const found = statSync(dir, { throwIfNoEntry: false })
  // Systems without users of this kind keep it in the person's own folder.
  const isOurs =
    !found || uid === undefined || (found.uid === uid && !(found.mode & writableByOthers))
  return isOurs ? dir : undefined
}
