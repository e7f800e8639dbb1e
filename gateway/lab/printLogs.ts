import { existsSync, readFileSync } from 'node:fs'
import type { LabFiles } from './labFiles.ts'

/** The last lines of each log of a lab; a lab in the foreground has written its own to the terminal. */
export function printLogs(
  { supervisorLog, gatewayLog }: LabFiles,
  { lines, print }: { readonly lines: number; readonly print: (text: string) => void },
): void {
  const found = [supervisorLog, gatewayLog].filter((path) => existsSync(path))
  if (found.length === 0) throw new Error('no lab is running here')
  for (const path of found) {
    const last = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines)
    print(`==> ${path} <==\n${last.join('\n')}\n`)
  }
}
