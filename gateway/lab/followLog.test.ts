import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'
import { followLog } from './followLog.ts'

const s = suite('lab/followLog')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-follow-'))
s.after(() => rmSync(dir, { recursive: true }))

s('reads what is new and nothing twice, whole letters alone', () => {
  const path = join(dir, 'log')
  const next = followLog(path)
  assert.is(next(), '')
  const [first = 0, second = 0] = Buffer.from('é')
  writeFileSync(path, Buffer.from([...Buffer.from('one\n'), first]))
  assert.is(next(), 'one\n')
  assert.is(next(), '')
  appendFileSync(path, Buffer.from([second]))
  assert.is(next(), 'é')
  // Were it read from its beginning, these would come instead.
  writeFileSync(path, 'ten\n--two\n')
  assert.is(next(), 'two\n')
})
s.run()
