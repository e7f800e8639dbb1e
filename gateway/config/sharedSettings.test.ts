import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'
import { fixedLimits } from '../parts/fixedLimits.ts'
import { readConfig } from './config.ts'
import { describeSettings } from './settings.ts'
import { findDifferences, listOwnLimits, listSharedSettings } from './sharedSettings.ts'

const s = suite('config/sharedSettings')
const enough = { BASE_RPC_URL: 'http://127.0.0.1:1', KEY_PEPPER: 'a'.repeat(32) }
const read = (change: Readonly<Record<string, string>> = {}) => readConfig({ ...enough, ...change })
const differences = (
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>> = {},
) => [...findDifferences(listSharedSettings(read(one)), listSharedSettings(read(other)))]

s('names what differs, and no chain that only one serves', () => {
  assert.equal(differences({}), [])
  assert.equal(differences({ FREE_QUOTA: '5', META_KEYS: 'required', LOG_LEVEL: 'debug' }), [
    'FREE_QUOTA',
    'META_KEYS',
  ])
  const executor = { BASE_EXECUTOR: `0x${'1'.repeat(40)}` }
  assert.equal(differences(executor), ['BASE_EXECUTOR'])
  assert.equal(differences({ ARBITRUM_RPC_URL: 'http://127.0.0.1:2' }), [])
  assert.equal(differences({}, { ARBITRUM_RPC_URL: 'http://127.0.0.1:2' }), [])
})

s(
  'names caps that one book counts, what a reader decides for all, and another relayer [24/settings-caps]',
  () => {
    const relayer = { BASE_RELAYER_KEYSTORE: 'keystore', BASE_RELAYER_PASSWORD_FILE: 'password' }
    const caps = { BASE_MAX_CHAIN_SPEND_PER_HOUR_WEI: '7', BASE_X402_MAX_FEE_WEI: '9' }
    assert.equal(differences({ ...relayer, ...caps }, relayer).sort(), Object.keys(caps).sort())
    // Without a relayer there is nothing that they cap.
    assert.equal(differences({ ...relayer, ...caps }), [])
    const pools = { MAX_POOLS_PER_CHAIN: '500', POOL_FLOOR_USD: '7' }
    assert.equal(differences(pools).sort(), Object.keys(pools).sort())
    assert.equal(
      differences({ META_PROVIDERS: 'velora,kyberswap' }, { META_PROVIDERS: 'kyberswap,velora' }),
      [],
    )
    assert.equal(differences({ META_PROVIDERS: 'velora' }), ['META_PROVIDERS'])
    const one = `0x${'1'.repeat(40)}`
    const trusted = { BASE_TRUSTED_ADDRESSES: one }
    assert.equal(differences(trusted), ['BASE_TRUSTED_ADDRESSES'])
    const byCode = { ...trusted, BASE_TRUSTED_CODE_HASHES: `0x${'1'.repeat(64)}` }
    assert.equal(differences(byCode, trusted), ['BASE_TRUSTED_CODE_HASHES'])
    const of = (address: string) => listSharedSettings(read(), new Map([[8453, { address }]]))
    assert.equal(findDifferences(of(one), of(`0x${'2'.repeat(40)}`)), ['BASE_RELAYER'])
    assert.equal(findDifferences(of(one), listSharedSettings(read())), [])
  },
)

s('names what callers would be told one way or the other [24/settings-told-apart]', () => {
  const told = {
    FRESHNESS: 'head',
    SERVICE_NAME: 'other',
    ROUTING_PUBLIC_URL: 'https://other.example',
    META_PUBLIC_URL: 'https://meta.example',
    RELAY_PUBLIC_URL: 'https://relay.example',
    AGENT_REGISTRATIONS: `eip155:8453:0x${'1'.repeat(40)}/7`,
    MCP_URL: 'https://mcp.example',
  }
  assert.equal(differences(told).sort(), Object.keys(told).sort())
})

s(
  'names whom one believes about callers, and the size of their one disk [24/settings-proxies]',
  () => {
    const proxies = { TRUSTED_PROXIES: '10.0.0.0/8,192.0.2.1' }
    assert.equal(differences(proxies), ['TRUSTED_PROXIES'])
    assert.equal(differences(proxies, { TRUSTED_PROXIES: '192.0.2.1, 10.0.0.0/8' }), [])
    assert.equal(differences({ DATABASE_DISK_GB: '100' }), ['DATABASE_DISK_GB'])
  },
)

s(
  'lets peppers be rotated one gateway after the other, and tells nothing of them [24/settings-differ]',
  () => {
    const next = { KEY_PEPPER: 'b'.repeat(32) }
    const former = { KEY_PEPPER_FORMER: enough.KEY_PEPPER, KEY_PEPPER_FORMER_UNTIL: '2030-01-01' }
    assert.equal(differences({}, { ...next, ...former }), [])
    assert.equal(differences({ ...next, ...former }, next), [])
    assert.equal(differences({}, next), ['KEY_PEPPER'])
    const later = { ...former, KEY_PEPPER_FORMER_UNTIL: '2030-02-01' }
    const until = ['KEY_PEPPER_FORMER_UNTIL']
    assert.equal(differences({ ...next, ...former }, { ...next, ...later }), until)
    const third = { KEY_PEPPER: 'c'.repeat(32), KEY_PEPPER_FORMER: next.KEY_PEPPER }
    assert.equal(differences({ ...next, ...former }, { ...later, ...third }), [])
    const text = JSON.stringify(listSharedSettings(read({ ...next, ...former })))
    for (const pepper of [next.KEY_PEPPER, enough.KEY_PEPPER]) assert.not.match(text, pepper)
  },
)

s('names what a gateway bounds by itself [24/own-limits]', () => {
  const own = (change = {}) =>
    Object.fromEntries(listOwnLimits(read(change)).map(({ setting, value }) => [setting, value]))
  assert.is(own()['RATE_LIMIT_PER_SECOND'], 20)
  assert.is(own()['META_MAX_STREAMS'], 4_096)
  assert.is(own()['UPSTREAM_CALLS_PER_SECOND'], Number.POSITIVE_INFINITY)
  assert.is(own()['MAX_CONNECTIONS_PER_ADDRESS'], 512)
  const providers = { META_PROVIDERS: '{"velora": {"perSecond": 3}}' }
  assert.is(own(providers)['META_PROVIDERS.velora.perSecond'], 3)
  const shared = own({ REDIS_URL: 'redis://redis' })
  assert.is(shared['RATE_LIMIT_PER_SECOND'], undefined)
  assert.is(shared['META_MAX_STREAMS'], 4_096)
})

/** What two gateways of one database may have each as it likes; a chain's without its prefix. */
const ofOneGateway = `
  ROUTING_HOST ROUTING_PORT META_HOST META_PORT RELAY_HOST RELAY_PORT OPS_HOST OPS_PORT
  ROUTING_ENABLED META_ENABLED RELAY_ENABLED OPS_NETWORK OPS_TOKEN
  DATABASE_PATH DATABASE_URL SIMULATORD_URL CERTIFICATE_AT
  RPC_URL WS_URL RPC_PRICES FORK_ORIGIN_URL FORK_ORIGIN_BLOCK
  ROUTING_THREADS SHUTDOWN_GRACE_SECS UNKNOWN_POOL_PATIENCE_MS
  META_DEADLINE_MS META_PATIENCE_MS META_SOURCE_TIMEOUT_MS META_ALLOW_PRIVATE_PROVIDERS
  UPSTREAM_CALL_UNITS UPSTREAM_USD_PER_MILLION_UNITS
  LOG_LEVEL ACCESS_LOG TRACES_URL TRACES_PERCENT OTEL_EXPORTER_OTLP_HEADERS`
/** Of a lab, which has one gateway. */
const ofLab = 'FREEZE_TIME_SECS LAB_MANIFEST LAB_REACH LAB_TOKEN LAB_ORIGINS LAB_RUN'
/** Told by the names KEY_PEPPER, and RELAYER, by what a chain has. */
const toldOtherwise = `
  KEY_PEPPER_FORMER RELAYER_PRIVATE_KEY RELAYER_KEYSTORE RELAYER_PASSWORD_FILE
  RELAYER_KEY_URL RELAYER_PUBLIC_KEY`

s('judges each setting: compared, a bound of each gateway, or its own [24/settings-judged]', () => {
  const onChains = (name: string, value: string) => ({
    [`BASE_${name}`]: value,
    [`ARBITRUM_${name}`]: value,
  })
  const config = read({
    ...onChains('RPC_URL', 'http://127.0.0.1:1'),
    ...onChains('RELAYER_KEYSTORE', 'keystore'),
    ...onChains('RELAYER_PASSWORD_FILE', 'password'),
    KEY_PEPPER_FORMER: 'b'.repeat(32),
    KEY_PEPPER_FORMER_UNTIL: '2030-01-01',
  })
  const limits = listOwnLimits(config).map(({ setting }) => setting)
  const judged = [...Object.keys(listSharedSettings(config)), ...limits]
  const others = describeSettings()
    .map(({ name }) => name)
    .filter((name) => !judged.includes(name))
    .map((name) => name.replace(/^(?:BASE|ARBITRUM)_/, ''))
  const known = [ofOneGateway, ofLab, toldOtherwise].join(' ').trim().split(/\s+/)
  assert.equal([...new Set(others)].sort(), known.sort())
})

s('are named in the documents, each of them [24/own-limits-docs]', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/production.md'), 'utf8')
  const section = /^## Several gateways$(.*?)^## /ms.exec(page)?.[1] ?? ''
  const named = [...section.matchAll(/^\|.*$/gm)]
    .flatMap(([row]) => [...row.matchAll(/`([A-Za-z_*]+)`/g)])
    .map(([, name = '']) => new RegExp(`^${name.replaceAll('*', '.*')}$`))
  const limits = [...listOwnLimits(read()), ...fixedLimits].map(({ setting }) => setting)
  assert.ok(limits.length > 14)
  const missing = limits.filter((setting) => !named.some((name) => name.test(setting)))
  assert.equal(missing, [])
})

s.run()
