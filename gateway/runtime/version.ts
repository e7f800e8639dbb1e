import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Version of the package, as every service reports it. */
export const version =
  // Our own package.json, read where it stands.
  (
    JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')) as {
      version: string
    }
  ).version
