import { execFile } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { startWorldChain } from '../../../../fixtures/world.ts'
import { forkLabel } from '../../../../simulator/containers/forkEngine.ts'
import { readBridgeAddress } from './readBridgeAddress.ts'
import { killContainer, removeContainers, sendKill, startStack } from './stack.ts'

const run = promisify(execFile)

/** The machine as containers see it, and a way through it to a chain that listens on loopback only. */
export async function openWay(docker: Docker, rpcUrl: string) {
  const host = await readBridgeAddress({ docker })
  const server = createServer((caller) => {
    const chain = connect(Number(new URL(rpcUrl).port), '127.0.0.1')
    for (const end of [caller, chain])
      end.on('error', () => {
        caller.destroy()
        chain.destroy()
      })
    caller.pipe(chain).pipe(caller)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return { server, url: `http://${host}:${(server.address() as AddressInfo).port}` }
}

/** A certificate for the three names and its key, made by the proxy's own image. */
async function makeCertificate(): Promise<string> {
  const certificate = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-keyout',
    '-',
    '-out',
    '-',
    '-addext',
    'subjectAltName=DNS:routing.localhost,DNS:meta.localhost,DNS:relay.localhost',
  ]
  return (await run('docker', ['run', '--rm', 'forkyard-proxy', 'openssl', ...certificate])).stdout
}

/** Run inside a gateway: keys whose balance is not the sum of their ledger, by its own configuration. */
const auditProgram = `
const { readConfig } = await import('/forkyard/gateway/config/config.ts')
const { openConfiguredStore } = await import('/forkyard/gateway/store/openConfiguredStore.ts')
const store = await openConfiguredStore(readConfig(process.env))
console.log(JSON.stringify(await store.ledger.audit()))
await store.close()`

type Asked = {
  readonly body?: unknown
  readonly withKey?: boolean
  readonly key?: string
  readonly timeoutMs?: number
}

export type LiveStack = Awaited<ReturnType<typeof startLiveStack>>

export type Answer = { readonly status: number; readonly body: Record<string, unknown> }

/** Of no other stack on this machine; a swarm takes its own from the other end of 10.0.0.0/8. */
const ownSubnet = `10.${128 + ((process.pid >> 8) % 126)}.${process.pid % 256}.0/24`

/**
 * As operators are asked to: of the user who reads it in its container, ours or PostgreSQL's. A test that
 * isn't root can give nothing away, so that it lets everybody read.
 */
function writeSecret({ dir, name, value }: { dir: string; name: string; value: string }) {
  const path = join(dir, name)
  const isRoot = process.getuid?.() === 0
  const reader = name === 'postgres_password' ? 999 : 1000
  writeFileSync(path, value, { mode: isRoot ? 0o600 : 0o644 })
  if (isRoot) chownSync(path, reader, reader)
}

/** A stack in live mode before two local chains, asked through its proxy as callers do; for tests. */
export async function startLiveStack({
  file,
  args = [],
  env = {},
  settings = {},
  overrides = [],
  start = startStack,
}: {
  readonly file: string
  readonly overrides?: readonly string[]
  readonly start?: typeof startStack
  readonly args?: readonly string[]
  /** Variables of the file. */
  readonly env?: Readonly<Record<string, string>>
  /** Settings of its gateways. */
  readonly settings?: Readonly<Record<string, string>>
}) {
  const docker = new Docker()
  const secretsDir = mkdtempSync(join(tmpdir(), 'forkyard-secrets-'))
  const chains = await Promise.all([8453, 42161].map((chainId) => startWorldChain({ chainId })))
  const [base, arbitrum] = await Promise.all(chains.map(({ rpcUrl }) => openWay(docker, rpcUrl)))
  const world = chains[0]?.manifest
  if (!world || !base || !arbitrum) throw new Error('no chains')
  const pem = await makeCertificate()
  const secrets = {
    key_pepper: 'pepper-that-must-not-be-seen-anywhere',
    base_rpc_url: base.url,
    arbitrum_rpc_url: arbitrum.url,
    // A swarm takes no empty secret.
    'base_relayer.json': '{}',
    'arbitrum_relayer.json': '{}',
    relayer_password: 'none',
    meta_providers: '{}',
    postgres_password: 'password-that-must-not-be-seen',
    redis_url: 'redis://redis',
    database_url: 'postgres://forkyard:password-that-must-not-be-seen@postgres/forkyard',
    tls_certificate: pem,
    tls_key: pem,
  }
  for (const [name, value] of Object.entries(secrets)) writeSecret({ dir: secretsDir, name, value })
  const settingsFile = join(secretsDir, 'settings.env')
  const changeSettings = (changed: Readonly<Record<string, string>>) => {
    const lines = Object.entries({ BASE_EXECUTOR: world.executor, ...settings, ...changed })
    writeFileSync(settingsFile, lines.map(([name, value]) => `${name}=${value}\n`).join(''))
  }
  changeSettings({})
  const forksName = `test-${process.pid}`
  async function end() {
    base?.server.close()
    arbitrum?.server.close()
    await Promise.all(chains.map((chain) => chain.close()))
    rmSync(secretsDir, { recursive: true })
  }
  const stack = await start({
    file,
    args,
    overrides,
    portNames: ['HTTP_PORT', 'HTTPS_PORT'],
    env: {
      SECRETS_DIR: secretsDir,
      SETTINGS_FILE: settingsFile,
      FORKS_NAME: forksName,
      PUBLISH_ADDRESS: '127.0.0.1',
      MONITORING_SUBNET: ownSubnet,
      ...env,
    },
  }).catch(async (error: unknown) => {
    await end()
    throw error
  })
  let apiKey = ''
  let lastSeen = 'nothing was asked yet'

  function askOnce(
    service: string,
    path: string,
    { body, withKey = false, key = apiKey, timeoutMs = 20_000 }: Asked = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port: stack.ports['HTTPS_PORT'],
          path,
          ca: pem,
          timeout: timeoutMs,
          servername: `${service}.localhost`,
          agent: false,
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            host: `${service}.localhost`,
            'content-type': 'application/json',
            ...(withKey ? { 'x-api-key': key } : {}),
          },
        },
        (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => {
            const isJson = response.headers['content-type']?.includes('json')
            resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : {} })
          })
        },
      )
      asked.on('error', reject).on('timeout', () => asked.destroy(new Error('timeout')))
      asked.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
  /** What came of it is the reason that a wait gives when it ends. */
  async function ask(service: string, path: string, asked: Asked = {}): Promise<Answer> {
    const what = `${service}${path.replace(/\?.*/, '')}`
    try {
      const answer = await askOnce(service, path, asked)
      lastSeen = `${what} answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`
      return answer
    } catch (error) {
      lastSeen = `${what}: ${error instanceof Error ? error.message : error}`
      throw error
    }
  }
  const quoteBody = {
    chain_id: 8453,
    token_in: world.tokens['WETH']?.address,
    token_out: world.tokens['USDC']?.address,
    amount_in: '1000000000000000',
  }
  /** `key`: another one than the last that was made. */
  const quote = (by: Pick<Asked, 'key' | 'timeoutMs'> = {}) =>
    ask('routing', '/quote', { body: quoteBody, withKey: true, ...by })
  /** The one charged GET: 16 quotes. */
  const quoteExactOutput = () => {
    const { token_in, token_out } = quoteBody
    const query = `chain_id=8453&token_in=${token_in}&token_out=${token_out}`
    const path = `/quote_exact_output?${query}&target_output=1000000&max_input=1000000000000000000`
    return ask('routing', path, { withKey: true })
  }
  const forkyard = (...command: string[]) =>
    stack.compose('exec', '-T', 'gateway', 'node', 'gateway/cli.ts', ...command)
  return {
    ...stack,
    forksName,
    secrets,
    /** Another certificate in the files that are there, and the proxy told of it, as docker/README.md has it. */
    async renewCertificate(renewed?: string): Promise<string> {
      const value = renewed ?? (await makeCertificate())
      for (const name of ['tls_certificate', 'tls_key'])
        writeSecret({ dir: secretsDir, name, value })
      // A signal by the engine would count as a stop by hand: what crashes after it is not started again.
      await stack.compose('exec', '-T', 'proxy', 'nginx', '-s', 'reload')
      return value
    },
    /** Of its gateways: those that are started from now on have them. */
    changeSettings,
    ask,
    /** What was asked last, and what came of it. */
    lastSeen: () => lastSeen,
    quoteBody,
    quote,
    quoteExactOutput,
    /** The command line in a gateway's container. */
    forkyard,
    async createKey(quotes: number) {
      const created = await forkyard('keys', 'create', 'test', '--quotes', String(quotes))
      apiKey = /fy_live_[0-9A-Za-z]+/.exec(created)?.[0] ?? ''
      return apiKey
    },
    isServing: () =>
      ask('routing', '/health').then(
        ({ status, body }) => status === 200 && body['status'] !== 'error',
        () => false,
      ),
    isQuoting: () =>
      quote().then(
        ({ status }) => status === 200,
        () => false,
      ),
    async readUsed(): Promise<number> {
      const { status, body } = await ask('routing', '/auth/key-info', { withKey: true })
      if (status !== 200) throw new Error(`key-info answered ${status}`)
      return Number(body['quota_used'])
    },
    /** Keys whose balance differs from the sum of their ledger: none, unless there is a bug. */
    async audit(): Promise<readonly string[]> {
      const program = ['node', '--input-type=module', '-e', auditProgram]
      return JSON.parse(await stack.compose('exec', '-T', 'gateway', ...program)) as string[]
    },
    sendKill: (id: string) => sendKill(docker, id),
    kill: (id: string) => killContainer(docker, id),
    async down() {
      // A supervisor that is ended before it has swept leaves forks, which keep their network.
      const label = [`${forkLabel}=${forksName}`]
      await stack.compose('stop', '--timeout', '20')
      await removeContainers({ docker }, { label })
      await stack.down()
      await end()
    },
  }
}
