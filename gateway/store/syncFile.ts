import { closeSync, fsyncSync, openSync } from 'node:fs'

/** What was written to a file or folder is on the disk afterwards. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
