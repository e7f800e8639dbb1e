import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { claimAttacks } from '../../fixtures/claimAttacks.ts'
import { assert, suite } from '../../fixtures/test.ts'

const s = suite('access/claimAttacks')

s('has a test for every row of the table of attacks on claims', () => {
  const files = globSync('*.fork.test.ts', { cwd: import.meta.dirname })
  const text = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join()
  const tried = new Set(
    Array.from(
      text.matchAll(/^attack\(\s*(\[[^\]]*\]|'[^']*')|^ {2}attack\(\s*('[^']*')/gm),
    ).flatMap(([, top = '', nested = '']) =>
      Array.from((top + nested).matchAll(/'([^']*)'/g), ([, row]) => row),
    ),
  )
  assert.equal(
    Object.keys(claimAttacks).filter((row) => !tried.has(row)),
    [],
  )
})
s.run()
