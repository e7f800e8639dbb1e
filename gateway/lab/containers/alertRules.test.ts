import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findDebianProgram, passOver } from '../../../fixtures/debianPrograms.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createRuleTests } from './testing/ruleTests.ts'

const s = suite('alert rules')
const { text, untested } = createRuleTests()

s('each has a case that makes it fire [strangers/alerts]', () => assert.equal(untested, []))

s('fire when they should, and only then, says Prometheus itself [24/objectives]', async () => {
  const promtool = findDebianProgram('promtool')
  if (!promtool) return passOver({ name: 'promtool', debianPackage: 'prometheus' })
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-rules-'))
  try {
    writeFileSync(join(dir, 'tests.yaml'), text)
    const told = await promisify(execFile)(promtool, ['test', 'rules', join(dir, 'tests.yaml')])
    assert.match(told.stdout, 'SUCCESS')
  } finally {
    rmSync(dir, { recursive: true })
  }
})
s.run()
