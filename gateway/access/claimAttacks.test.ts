import { claimAttacks } from '../../fixtures/access/claimAttacks.ts'
import { readTables } from '../../fixtures/conformance/readTables.ts'
import { assert, suite } from '../../fixtures/test.ts'

const s = suite('access/claimAttacks')

s('are sentences of the table of attacks on claims, each with the tests that try it', () => {
  const table = readTables().find(({ name }) => name === 'claims')
  assert.equal(
    table?.sentences.map(({ text }) => text),
    Object.entries(claimAttacks).map(([attack, what]) => `${attack}: ${what}`),
  )
})
s.run()
