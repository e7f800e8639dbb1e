import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../../fixtures/test.ts'
import { readGuides } from './readGuides.ts'

const s = suite('http/readGuides')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-guides-'))
s.after(() => rmSync(dir, { recursive: true }))

s('reads pages in the order in which they are told, then by name [teeth/guides]', () => {
  mkdirSync(join(dir, 'reference'))
  for (const name of ['wallets', 'start', 'reference/b', 'reference/a'])
    writeFileSync(join(dir, `${name}.md`), `# The ${name}\n`)
  writeFileSync(join(dir, 'untitled.md'), 'no heading')
  writeFileSync(join(dir, 'picture.svg'), '')
  assert.equal(
    readGuides(dir).map(({ name, title }) => [name, title]),
    [
      ['start', 'The start'],
      ['wallets', 'The wallets'],
      ['reference/a', 'The reference/a'],
      ['reference/b', 'The reference/b'],
      ['untitled', 'untitled'],
    ],
  )
})
s('has none where none were brought along [teeth/guides]', () => {
  assert.equal(readGuides(join(dir, 'nowhere')), [])
})
s.run()
