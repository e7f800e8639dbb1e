import { execFile } from 'node:child_process'
import { accessSync, constants, globSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const folders = () => [
  // Debian keeps them out of the path, one folder for each version.
  ...globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed(),
  ...(process.env['PATH'] ?? '').split(delimiter),
]

/** A folder of the path that may not be looked into holds nothing that could be run. */
function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** @throws Error where PostgreSQL's own program is not installed */
export function findProgram(name: string): string {
  const found = folders()
    .map((folder) => join(folder, name))
    .find(isProgram)
  if (found === undefined) throw new Error(`this needs PostgreSQL's ${name}: install PostgreSQL`)
  return found
}

/** A PostgreSQL refuses to run as root: what root starts runs as the owner of the folder it works in. */
export function ownerOf(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const { uid, gid } = statSync(folder)
  return { uid, gid }
}

/** How a program reaches the server: its password stands in no list of processes. */
export function connectionTo(url: string) {
  const shown = new URL(url)
  const { password } = shown
  shown.password = ''
  return {
    args: ['--no-password', '--dbname', shown.href],
    env: { ...process.env, ...(password && { PGPASSWORD: decodeURIComponent(password) }) },
  }
}

/** Runs one to its end. @throws Error with what it said */
export async function runProgram(
  name: string,
  args: readonly string[],
  { folder, env = process.env }: { readonly folder: string; readonly env?: NodeJS.ProcessEnv },
): Promise<void> {
  try {
    await promisify(execFile)(findProgram(name), args, { ...ownerOf(folder), cwd: folder, env })
  } catch (cause) {
    const said = (cause as { readonly stderr?: string }).stderr?.trim()
    throw new Error(said || `${name} could not be run`, { cause })
  }
}
