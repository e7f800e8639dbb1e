import { assert, suite } from '../../fixtures/test.ts'
import { createLog } from './log.ts'

const s = suite('observe/log')
s('writes no secret, whatever characters it has [attack/escaped-secrets]', () => {
  const secrets = ['canary-plain', 'canary-"quoted"', 'canary-back\\slash', 'canary-\ttab']
  let written = ''
  const write = (line: string) => {
    written += line
  }
  const log = createLog({ level: 'info', secrets, destination: { write } })
  const reasons = secrets.map((secret) => `at ${secret} in vain`)
  log.info({ reasons, err: new Error(reasons.join()) }, 'said')
  assert.not.match(written, 'canary')
  const { reasons: kept } = JSON.parse(written) as { readonly reasons: readonly string[] }
  assert.equal(kept, Array(4).fill('at [redacted] in vain'))
})
s.run()
