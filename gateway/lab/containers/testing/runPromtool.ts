import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findDebianProgram, passOver } from '../../../../fixtures/debianPrograms.ts'

/** What Prometheus' own tool says; undefined, and said aloud, where it is not installed. @throws what it complains of */
export async function runPromtool(...args: readonly string[]): Promise<string | undefined> {
  const promtool = findDebianProgram('promtool')
  if (promtool) return (await promisify(execFile)(promtool, args)).stdout
  passOver({ name: 'promtool', debianPackage: 'prometheus' })
  return undefined
}

/** Runs unit tests of rules and queries, in the format of `promtool test rules`. */
export async function testRules(tests: string): Promise<string | undefined> {
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-rules-'))
  try {
    writeFileSync(join(dir, 'tests.yaml'), tests)
    return await runPromtool('test', 'rules', join(dir, 'tests.yaml'))
  } finally {
    rmSync(dir, { recursive: true })
  }
}
