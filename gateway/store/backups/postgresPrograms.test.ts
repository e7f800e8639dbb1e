import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../../../fixtures/backups/failureOf.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { connectionTo, findProgram, ownerOf, runProgram } from './postgresPrograms.ts'

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
s('takes no folder and nothing that may not be run for a program', () => {
  const bin = join(folder, 'bin')
  mkdirSync(join(bin, 'named'), { recursive: true })
  writeFileSync(join(bin, 'plain'), '')
  writeFileSync(join(bin, 'tool'), '', { mode: 0o755 })
  process.env['PATH'] = bin
  assert.is(findProgram('tool'), join(bin, 'tool'))
  for (const name of ['named', 'plain'])
    assert.throws(() => findProgram(name), `this needs PostgreSQL's ${name}: install PostgreSQL`)
  delete process.env['PATH']
  assert.throws(() => findProgram('tool'), "this needs PostgreSQL's tool")
  process.env['PATH'] = path
})
s('hands a password over where no list of processes shows it', () => {
  const { args, env } = connectionTo('postgres://me:p%40ss@host:5433/books')
  assert.equal(args, ['--no-password', '--dbname', 'postgres://me@host:5433/books'])
  assert.equal(env, { ...process.env, PGPASSWORD: 'p@ss' })
  const without = connectionTo('postgres://me@host/books')
  assert.equal(
    [without.args[2], without.env['PGPASSWORD']],
    ['postgres://me@host/books', process.env['PGPASSWORD']],
  )
})
s('runs in its folder, as whom that belongs to, and says what a program said', async () => {
  process.env['PATH'] = path
  await runProgram('sh', ['-c', 'echo "$GREETING" > said'], { folder, env: { GREETING: 'hello' } })
  assert.is(readFileSync(join(folder, 'said'), 'utf8'), 'hello\n')
  const { uid, gid } = statSync(folder)
  assert.equal(ownerOf(folder), process.getuid?.() === 0 ? { uid, gid } : {})
  const failing = (script: string) => failureOf(runProgram('sh', ['-c', script], { folder }))
  assert.is(await failing('echo " no room " >&2; exit 3'), 'no room')
  assert.is(await failing('exit 3'), 'sh could not be run')
})
s.run()
