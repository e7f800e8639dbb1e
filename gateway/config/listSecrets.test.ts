import { assert, suite } from '../../fixtures/test.ts'
import { readConfig } from './config.ts'
import { listSecrets } from './listSecrets.ts'

const s = suite('listSecrets')

s('knows the value of every setting that holds a secret [teeth/secrets]', () => {
  const key = `0x${'7'.repeat(64)}`
  const given = {
    KEY_PEPPER: 'canary-pepper-of-more-than-thirty-two-characters',
    KEY_PEPPER_FORMER: 'canary-former-of-more-than-thirty-two-characters',
    OPS_TOKEN: 'canary-token-of-more-than-thirty-two-characters',
    LAB_TOKEN: 'canary-lab',
    DATABASE_URL: 'postgres://user:canary-database@127.0.0.1/x',
    REDIS_URL: 'redis://:canary-redis@127.0.0.1',
    TRACES_URL: 'http://127.0.0.1/canary-traces',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20canary-collector',
    BASE_RPC_URL: 'http://127.0.0.1/canary-one',
    BASE_WS_URL: 'ws://127.0.0.1/canary-ws',
    BASE_FORK_ORIGIN_URL: 'http://127.0.0.1/canary-origin',
    BASE_RELAYER_PRIVATE_KEY: key,
    ARBITRUM_RPC_URL: 'http://127.0.0.1/canary-two',
    ARBITRUM_RELAYER_KEY_URL: 'http://127.0.0.1/canary-key-service',
  }
  const config = readConfig({
    ...given,
    FORKYARD_MODE: 'forked',
    KEY_PEPPER_FORMER_UNTIL: '2127-01-31',
    META_PROVIDERS: '{"0x":{"key":"canary-provider"},"velora":{}}',
    ARBITRUM_RELAYER_PUBLIC_KEY: `0x02${'1'.repeat(64)}`,
  })
  const known = listSecrets(config)
  const { OTEL_EXPORTER_OTLP_HEADERS: _, ...whole } = given
  const parts = ['canary-provider', 'Bearer canary-collector']
  assert.equal([...known].sort(), [...Object.values(whole), ...parts].sort())
})
s('an empty value hides nothing: every line would be one [teeth/secrets]', () => {
  const config = readConfig({ KEY_PEPPER: 'p'.repeat(32), BASE_RPC_URL: 'http://127.0.0.1:9' })
  assert.equal(listSecrets(config), ['p'.repeat(32), 'http://127.0.0.1:9'])
})
s.run()
