import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import { defaultLimits } from '../relay/limits.ts'
import { ConfigError, readConfig } from './config.ts'
import { describeSettings } from './settings.ts'

const config = suite('config')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-config-'))
config.after(() => rmSync(dir, { recursive: true }))

const enough = {
  KEY_PEPPER: 'p'.repeat(32),
  BASE_RPC_URL: 'https://one.example, https://two.example',
}
const faultOf = (env: Record<string, string>) => {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'no fault'
}

config('names the first mistake of every field, whatever the kind [config/every-fault]', () => {
  const faults = faultOf({
    ROUTING_PORT: '70000',
    RATE_LIMIT_BURST: 'many',
    BASE_RPC_URL: 'https://one.example',
    BASE_EXECUTOR: '0x12',
    ARBITRUM_SPONSORED_GAS_CAP: '1',
    META_PROVIDERS: '[',
    KEY_PEPPER_FILE: join(dir, 'none'),
    TRUSTED_PROXIES: 'everybody',
    LAB_ORIGINS: 'https://app.example/path',
  })
  const names = faults.match(/(?<=^|; )[A-Z_0-9]+/g) ?? []
  assert.equal(names.toSorted(), [
    'ARBITRUM_SPONSORED_GAS_CAP',
    'BASE_EXECUTOR',
    'KEY_PEPPER',
    'KEY_PEPPER_FILE',
    'LAB_ORIGINS',
    'META_PROVIDERS',
    'RATE_LIMIT_BURST',
    'ROUTING_PORT',
    'TRUSTED_PROXIES',
  ])
})
config('holds the time of simulations in labs only', () => {
  const held = { ...enough, FREEZE_TIME_SECS: '1760000000' }
  assert.is(readConfig({ ...held, FORKYARD_MODE: 'forked' }).heldTimeMs, 1_760_000_000_000)
  assert.is(readConfig(enough).heldTimeMs, undefined)
  assert.match(faultOf(held), 'FREEZE_TIME_SECS is for labs')
})
config('asks the cheapest endpoint first where prices are told [config/rpc-prices]', () => {
  const BASE_RPC_URL = 'https://one.example,https://two.example,https://three.example'
  const urlsAt = (prices: string) =>
    readConfig({ ...enough, BASE_RPC_URL, BASE_RPC_PRICES: prices }).chains[0]?.rpcUrls.map(
      (url) => new URL(url).host.split('.')[0],
    )
  assert.equal(urlsAt('0.45,0,0'), ['two', 'three', 'one'])
  assert.equal(urlsAt(''), ['one', 'two', 'three'])
  assert.match(faultOf({ ...enough, BASE_RPC_URL, BASE_RPC_PRICES: '1,2' }), 'BASE_RPC_PRICES')
  assert.match(faultOf({ ...enough, BASE_RPC_URL, BASE_RPC_PRICES: '1,x,2' }), 'BASE_RPC_PRICES')
})
config('has a node that pushes heads where one is told', () => {
  const BASE_WS_URL = 'wss://one.example/key'
  assert.is(readConfig({ ...enough, BASE_WS_URL }).chains[0]?.wsUrl, BASE_WS_URL)
  assert.is(readConfig(enough).chains[0]?.wsUrl, undefined)
})
config('answers from the head in a lab, and where an operator wants it', () => {
  assert.is(readConfig(enough).freshness, 'interval')
  assert.is(readConfig({ ...enough, FORKYARD_MODE: 'forked' }).freshness, 'head')
  assert.is(readConfig({ ...enough, FRESHNESS: 'head' }).freshness, 'head')
  const asLive = { ...enough, FORKYARD_MODE: 'offline', FRESHNESS: 'interval' }
  assert.is(readConfig(asLive).freshness, 'interval')
})
config('opens what changes a lab in labs only', () => {
  const open = { ...enough, LAB_TOKEN: 'token' }
  assert.is(readConfig({ ...open, FORKYARD_MODE: 'forked' }).labToken, 'token')
  assert.match(faultOf(open), 'LAB_TOKEN is for labs')
})
config('opens what operators ask to everybody in labs only [config/lab-manifest]', () => {
  const open = { ...enough, LAB_MANIFEST: 'manifest.json' }
  assert.is(readConfig({ ...open, FORKYARD_MODE: 'offline' }).labManifestPath, 'manifest.json')
  assert.match(faultOf(open), 'LAB_MANIFEST is for labs')
})
config('serves the chains that have an RPC URL, with the documented limits [config/limits]', () => {
  const { chains, mode } = readConfig(enough)
  assert.is(mode, 'live')
  assert.is(chains.length, 1)
  assert.equal(chains[0]?.rpcUrls, ['https://one.example', 'https://two.example'])
  assert.equal(chains[0]?.relayLimits, {
    maxRelayFeeWei: 200_000_000_000_000n,
    minRelayerBalanceWei: 1_000_000_000_000_000n,
    pendingWindowMs: 120_000,
    maxDeploysPerHour: 60,
    maxSpendPerHourWei: 20_000_000_000_000_000n,
    gasCap: 200_000,
  })
  assert.equal(chains[0]?.relayLimits, defaultLimits)
  assert.is(chains[0]?.settlementLimits, undefined)
})

config(
  'sets every limit of the relay and of settlements for each chain by itself [relay/settings]',
  () => {
    const { chains } = readConfig({
      ...enough,
      ARBITRUM_RPC_URL: 'https://three.example',
      ARBITRUM_MAX_RELAY_FEE_WEI: '1',
      ARBITRUM_MIN_RELAYER_BALANCE_WEI: '2',
      ARBITRUM_PENDING_WINDOW_SECS: '3',
      ARBITRUM_MAX_SPONSORED_DEPLOYS_PER_CHAIN_HOUR: '4',
      ARBITRUM_MAX_CHAIN_SPEND_PER_HOUR_WEI: '5',
      ARBITRUM_SPONSORED_GAS_CAP: '60000',
      ARBITRUM_X402_SETTLE: 'true',
      ARBITRUM_X402_MAX_FEE_WEI: '7',
      ARBITRUM_X402_MAX_SETTLEMENTS_PER_HOUR: '8',
      ARBITRUM_X402_MAX_SPEND_PER_HOUR_WEI: '9',
    })
    const [base, arbitrum] = chains
    assert.equal([base?.relayLimits, base?.settlementLimits], [defaultLimits, undefined])
    assert.equal(arbitrum?.relayLimits, {
      maxRelayFeeWei: 1n,
      minRelayerBalanceWei: 2n,
      pendingWindowMs: 3_000,
      maxDeploysPerHour: 4,
      maxSpendPerHourWei: 5n,
      gasCap: 60_000,
    })
    assert.equal(arbitrum?.settlementLimits, {
      maxFeeWei: 7n,
      maxPerHour: 8,
      maxSpendPerHourWei: 9n,
    })
  },
)

config(
  "reads the operators' token and a collector's headers from files [attack/file-secrets]",
  () => {
    const write = (name: string, text: string) => {
      const path = join(dir, name)
      writeFileSync(path, `${text}\n`)
      return path
    }
    const opsToken = 't'.repeat(32)
    const headers = 'authorization=Bearer%20a%2Cb, x-team = swaps=1'
    const read = readConfig({
      ...enough,
      OPS_TOKEN_FILE: write('ops_token', opsToken),
      TRACES_URL: 'http://collector:4318/v1/traces',
      OTEL_EXPORTER_OTLP_HEADERS_FILE: write('traces_headers', headers),
    })
    assert.is(read.opsToken, opsToken)
    assert.equal(read.traces?.headers, { authorization: 'Bearer a,b', 'x-team': 'swaps=1' })
    for (const wrong of ['canary', 'canary=%', '=canary'])
      assert.match(
        faultOf({ ...enough, TRACES_URL: 'http://a', OTEL_EXPORTER_OTLP_HEADERS: wrong }),
        /^OTEL_EXPORTER_OTLP_HEADERS (?!.*canary)/,
      )
  },
)

config('reads a secret from the file that NAME_FILE points to', () => {
  const path = join(dir, 'pepper')
  writeFileSync(path, `${'q'.repeat(40)}\n`)
  const { keyPepper } = readConfig({ BASE_RPC_URL: enough.BASE_RPC_URL, KEY_PEPPER_FILE: path })
  assert.is(keyPepper, 'q'.repeat(40))
})

config('names every variable that is wrong or missing', () => {
  assert.match(faultOf({ ...enough, ROUTING_PORT: '70000' }), /ROUTING_PORT/)
  assert.match(faultOf({ ...enough, BASE_EXECUTOR: '0x12' }), /BASE_EXECUTOR/)
  assert.match(faultOf({ KEY_PEPPER: enough.KEY_PEPPER }), /BASE_RPC_URL or ARBITRUM_RPC_URL/)
  assert.match(faultOf({ BASE_RPC_URL: enough.BASE_RPC_URL }), /KEY_PEPPER/)
  assert.match(
    faultOf({ BASE_RPC_URL: 'x', KEY_PEPPER_FILE: join(dir, 'none') }),
    /KEY_PEPPER_FILE/,
  )
})

config('reads the ERC-8004 identities of the routing service', () => {
  const agentRegistry = `eip155:8453:0x${'8'.repeat(40)}`
  const other = `eip155:1:0x${'7'.repeat(40)}`
  const AGENT_REGISTRATIONS = `${agentRegistry}/42, ${other}/0`
  assert.equal(readConfig({ ...enough, AGENT_REGISTRATIONS }).agentRegistrations, [
    { agentId: 42, agentRegistry },
    { agentId: 0, agentRegistry: other },
  ])
  assert.equal(readConfig(enough).agentRegistrations, [])
  for (const wrong of [
    '42',
    `${agentRegistry}`,
    `${agentRegistry}/x`,
    `${agentRegistry}/1 ${other}/2`,
  ])
    assert.match(faultOf({ ...enough, AGENT_REGISTRATIONS: wrong }), /AGENT_REGISTRATIONS/)
  assert.is(readConfig({ ...enough, MCP_URL: 'https://mcp.example' }).mcpUrl, 'https://mcp.example')
  assert.match(faultOf({ ...enough, MCP_URL: 'mcp.example' }), /MCP_URL/)
})

config('refuses a bare private key in production, and takes it in a lab', () => {
  const key = { BASE_RELAYER_PRIVATE_KEY: `0x${'1'.repeat(64)}` }
  assert.match(faultOf({ ...enough, ...key }), /BASE_RELAYER_KEYSTORE/)
  assert.is(faultOf({ ...enough, ...key, FORKYARD_MODE: 'offline' }), 'no fault')
})

config('takes addresses and networks for proxies, and nothing that looks like one', () => {
  const proxies = '10.0.0.0/8, 192.168.1.7, fd00::/8, 0.0.0.0/0'
  assert.is(readConfig({ ...enough, TRUSTED_PROXIES: proxies }).trustedProxies.length, 4)
  for (const wrong of [
    '10.0.0.0/',
    'proxy.local',
    '10.0.0.0/abc',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0.0/8/8',
    '/8',
  ])
    assert.match(
      faultOf({ ...enough, TRUSTED_PROXIES: `10.0.0.1,${wrong}` }),
      `TRUSTED_PROXIES ${wrong}`,
    )
})

config('believes the addresses that an operator names, and names each that is none', () => {
  const [one, other] = [base.wrappedNative, base.usdc.address.toLowerCase()]
  const trusted = (value: string) => ({ ...enough, BASE_TRUSTED_ADDRESSES: value })
  assert.equal(readConfig(trusted(` ${one}, ${other},`)).chains[0]?.trusted, [one, other])
  assert.equal(readConfig(enough).chains[0]?.trusted, [])
  const miscased = base.usdc.address.replace(/[a-f]/, (letter) => letter.toUpperCase())
  const wrong = ['0x12', 'mine.eth', `0x${'1'.repeat(64)}`, miscased]
  const faults = faultOf({ ...trusted([one, ...wrong].join()), ARBITRUM_TRUSTED_ADDRESSES: '0x' })
  const named = wrong.map((entry) => `BASE_TRUSTED_ADDRESSES ${entry} is no address`)
  assert.equal(faults.split('; '), [...named, 'ARBITRUM_TRUSTED_ADDRESSES 0x is no address'])
})

config('believes the code that an operator names by its hash, and names what is none', () => {
  const [one, other] = [`0x${'1'.repeat(64)}`, `0x${'Ab'.repeat(32)}`]
  const hashes = (value: string) => ({ ...enough, BASE_TRUSTED_CODE_HASHES: value })
  assert.equal(readConfig(hashes(`${one},${other}`)).chains[0]?.trusted, [one, other])
  for (const wrong of ['0x12', base.wrappedNative, '1'.repeat(64)])
    assert.is(
      faultOf(hashes(`${one},${wrong}`)),
      `BASE_TRUSTED_CODE_HASHES ${wrong} is no hash of 32 bytes`,
    )
})

config('refuses a burst that some endpoint could never pass', () => {
  assert.match(faultOf({ ...enough, RATE_LIMIT_BURST: '15' }), /RATE_LIMIT_BURST must be >= 16/)
  assert.match(faultOf({ ...enough, IP_RATE_LIMIT_BURST: '4' }), /IP_RATE_LIMIT_BURST must be >= 5/)
  assert.is(faultOf({ ...enough, RATE_LIMIT_BURST: '16', IP_RATE_LIMIT_BURST: '5' }), 'no fault')
})

config('refuses a keystore without the file of its password', () => {
  const keystore = { ...enough, BASE_RELAYER_KEYSTORE: '/run/secrets/keystore.json' }
  assert.match(faultOf(keystore), /^BASE_RELAYER_PASSWORD_FILE /)
  assert.is(
    faultOf({ ...keystore, BASE_RELAYER_PASSWORD_FILE: '/run/secrets/password' }),
    'no fault',
  )
})

config('refuses a key service without its public key', () => {
  const service = { ...enough, BASE_RELAYER_KEY_URL: 'http://127.0.0.1:9000/sign' }
  assert.match(faultOf(service), /^BASE_RELAYER_PUBLIC_KEY /)
  const publicKey = `0x02${'1'.repeat(64)}` as const
  const env = { ...service, BASE_RELAYER_PUBLIC_KEY: publicKey }
  const [base] = readConfig(env).chains
  assert.equal(base?.relayer, { keyUrl: service.BASE_RELAYER_KEY_URL, publicKey })
  assert.match(faultOf({ ...env, BASE_RELAYER_PUBLIC_KEY: '0x05' }), /BASE_RELAYER_PUBLIC_KEY/)
})

config('binds the operators to loopback unless told otherwise [config/ops-loopback]', () => {
  assert.is(readConfig(enough).ops.host, '127.0.0.1')
  assert.is(readConfig({ ...enough, OPS_HOST: '0.0.0.0' }).ops.host, '0.0.0.0')
})

config('treats an empty value as absent', () => {
  assert.is(readConfig({ ...enough, ROUTING_PORT: '' }).routing.port, 8080)
})

config('lists every setting once', () => {
  const names = describeSettings().map((setting) => setting.name)
  assert.is(new Set(names).size, names.length)
  assert.ok(names.includes('ARBITRUM_RPC_URL'))
})

config(
  'searches on each core but one, where nothing else is said and it is no lab [20/threads-default]',
  () => {
    const threadsOn = (cores: number, env: Record<string, string> = {}) => {
      const mocked = mock.method(os, 'availableParallelism', () => cores)
      syncBuiltinESMExports()
      try {
        return readConfig({ ...enough, ...env }).routingThreads
      } finally {
        mocked.mock.restore()
        syncBuiltinESMExports()
      }
    }
    assert.equal(
      [1, 2, 8, 65, 200].map((cores) => threadsOn(cores)),
      [0, 1, 7, 64, 64],
    )
    assert.is(threadsOn(8, { FORKYARD_MODE: 'offline' }), 0)
    for (const ROUTING_THREADS of ['0', '3', '64'])
      assert.is(threadsOn(8, { ROUTING_THREADS }), Number(ROUTING_THREADS))
    for (const ROUTING_THREADS of ['65', '-1', 'all'])
      assert.match(faultOf({ ...enough, ROUTING_THREADS }), /^ROUTING_THREADS must match/)
  },
)

config.run()
