import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../../fixtures/test.ts'
import { openSharedFiles } from './sharedFiles.ts'

const s = suite('files that the containers of a lab share')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-shared-files-'))
s.after(() => rmSync(dir, { recursive: true }))
const [one, two] = [openSharedFiles(dir), openSharedFiles(dir)]

s('give whoever asks the same secret, which nobody else can read', () => {
  const token = one.secret('admin-token')
  assert.match(token, /^[\w-]{43}$/)
  assert.is(two.secret('admin-token'), token)
  assert.is.not(two.secret('pepper'), token)
  assert.is(statSync(join(dir, 'admin-token')).mode & 0o777, 0o600)
})

s('keep what came first, where two make it at once, and leave no draft', async () => {
  const kept = await Promise.all(
    [one, two].map((files, index) => files.keep('api-key', async () => `key ${index}`)),
  )
  assert.equal(kept, ['key 0', 'key 0'])
  assert.is(readFileSync(join(dir, 'api-key'), 'utf8'), 'key 0')
  assert.is(await two.keep('api-key', () => Promise.reject(new Error('made again'))), 'key 0')
  assert.equal(
    readdirSync(dir).filter((name) => !['admin-token', 'pepper', 'api-key'].includes(name)),
    [],
  )
})
s.run()
