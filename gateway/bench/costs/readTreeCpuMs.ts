import { readdirSync, readFileSync } from 'node:fs'

const clock = 10
function readFields(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // After the name, which may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Linux: user and system together, threads that have ended too; the kernel counts in hundredths of a second. */
export function readCpuMs(pid: number): number {
  const fields = readFields(pid)
  return (Number(fields[11]) + Number(fields[12])) * clock
}

/** Of a process and of those that it has started and that are there. */
export function readTreeCpuMs(pid: number): number {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => other !== pid && isChild(other, pid))
  return [pid, ...children].reduce((sum, each) => sum + readCpuMs(each), 0)
}

function isChild(pid: number, parent: number): boolean {
  try {
    return Number(readFields(pid)[1]) === parent
  } catch (error) {
    // It has ended since the list was made.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
