import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../../fixtures/test.ts'
import { findProgram } from './postgresPrograms.ts'

const s = suite('store/backups/postgresPrograms')
const folder = mkdtempSync(join(tmpdir(), 'forkyard-programs-'))
const path = process.env['PATH']
s.after(() => {
  process.env['PATH'] = path
  rmSync(folder, { recursive: true })
})

s('passes over folders of the path that may not be looked into [24/backup-path]', () => {
  // Whoever asks is told the same of a folder that belongs to root alone, but root.
  const closed = join(folder, 'closed')
  symlinkSync(closed, closed)
  process.env['PATH'] = `${closed}:${path}`
  assert.match(findProgram('cp'), /\/cp$/)
  process.env['PATH'] = closed
  assert.throws(() => findProgram('cp'), "this needs PostgreSQL's cp")
})
s.run()
