import { readFileSync } from 'node:fs'
import { assert, suite } from '../../../fixtures/test.ts'
import { createRuleTests, ruleFiles } from './testing/ruleTests.ts'
import { runPromtool, testRules } from './testing/runPromtool.ts'

const s = suite('alert rules')
const { text, untested } = createRuleTests()

s('each has a case that makes it fire [strangers/alerts]', () => assert.equal(untested, []))

s('are read by Prometheus itself, every one of each file [24/rules-read]', async () => {
  const told = await runPromtool('check', 'rules', ...ruleFiles)
  if (told === undefined) return
  const counts = [...told.matchAll(/SUCCESS: (\d+) rules found/g)].map(([, count]) => Number(count))
  const written = ruleFiles.map(
    (path) => readFileSync(path, 'utf8').match(/- (?:alert|record):/g)?.length,
  )
  assert.equal(counts, written)
})

s('fire when they should, and only then, says Prometheus itself [24/objectives]', async () => {
  const told = await testRules(text)
  if (told !== undefined) assert.match(told, 'SUCCESS')
})
s.run()
