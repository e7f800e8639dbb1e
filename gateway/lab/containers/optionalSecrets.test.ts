import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { assert, suite } from '../../../fixtures/test.ts'
import { describeSettings } from '../../config/settings.ts'

/** Files beside a stack of production, for secrets that it does without. */
const s = suite('optional secrets')
const dir = join(import.meta.dirname, '../../../docker')

for (const [file, setting, secret] of [
  ['opsToken.yaml', 'OPS_TOKEN', 'ops_token'],
  ['tracesHeaders.yaml', 'OTEL_EXPORTER_OTLP_HEADERS', 'traces_headers'],
] as const)
  s(`${file} gives gateways ${setting} as a file [attack/optional-secrets]`, () => {
    assert.ok(describeSettings().some(({ name }) => name === setting))
    const gateway = {
      environment: { [`${setting}_FILE`]: `/run/secrets/${secret}` },
      secrets: [secret],
    }
    assert.equal(parse(readFileSync(join(dir, file), 'utf8')), {
      services: { gateway },
      secrets: {
        [secret]: {
          file: `\${SECRETS_DIR:-./secrets}/${secret}`,
          name: `\${FORKS_NAME:-forkyard}_${secret}_\${SECRETS_VERSION:-1}`,
        },
      },
    })
  })
s.run()
