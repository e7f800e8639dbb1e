import { processTable } from '../../simulator/processTable.ts'
import type { LabParameters } from './labFiles.ts'
import { givenOf, type LabStatus, writeJson } from './labFiles.ts'

export type LabProgress = ReturnType<typeof createLabProgress>

/** Where the start stands: in the lab's status file and on the terminal. */
export function createLabProgress({ files, env, print }: LabParameters) {
  const startedAt = processTable.readStart(process.pid)
  const given = givenOf(env)
  const set = (phase: LabStatus['phase'], message: string) =>
    writeJson(files.status, {
      pid: process.pid,
      startedAt,
      phase,
      message,
      given,
    } satisfies LabStatus)
  return {
    set,
    step(message: string) {
      set('starting', message)
      // performance.now() counts from the start of this process: loading its code is part of the wait.
      print(`${(performance.now() / 1000).toFixed(1).padStart(5)} s  ${message}\n`)
    },
  }
}
