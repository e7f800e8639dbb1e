import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { assert, suite } from '../../../fixtures/test.ts'
import { readConfig } from '../../config/config.ts'
import { describeSettings } from '../../config/settings.ts'

/** What the compose files promise, read from the files themselves. */
const s = suite('compose files')
const dir = join(import.meta.dirname, '../../../docker')

type Service = {
  readonly image?: string
  readonly build?: { readonly dockerfile?: string; readonly network?: string }
  readonly ports?: readonly (string | { readonly published?: unknown; readonly target?: unknown })[]
  readonly volumes?: readonly (string | { readonly source?: string })[]
  readonly tmpfs?: readonly string[]
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>
  readonly network_mode?: string
  readonly privileged?: boolean
  readonly read_only?: boolean
  readonly user?: string
  readonly cap_drop?: readonly string[]
  readonly cap_add?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly mem_limit?: string
  readonly pids_limit?: number
  readonly deploy?: {
    readonly replicas?: unknown
    readonly resources?: { readonly limits?: Readonly<Record<string, unknown>> }
  }
  readonly environment?: Readonly<Record<string, unknown>>
  readonly env_file?: readonly string[]
  readonly secrets?: readonly string[]
  readonly command?: readonly string[]
  readonly configs?: readonly { readonly source: string; readonly target: string }[]
  readonly logging?: { readonly options?: Readonly<Record<string, unknown>> }
}
type FileOf = Readonly<Record<string, { readonly file: string; readonly name?: string }>>
type Compose = {
  readonly secrets?: FileOf
  readonly configs?: FileOf
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<
    Record<
      string,
      {
        readonly internal?: boolean
        readonly driver_opts?: Record<string, string>
        readonly ipam?: { readonly config?: readonly { readonly subnet?: string }[] }
      } | null
    >
  >
}

const files = globSync('compose*.yaml', { cwd: dir }).sort()
const read = (name: string) =>
  // Our own files; the assertions below say what is missing.
  parse(readFileSync(join(dir, name), 'utf8'), { merge: true }) as Compose
const composes = files.map((name) => {
  const compose = read(name)
  if (name !== 'compose.monitoring.yaml') return { name, compose }
  // It is given beside a stack of production, and joins that one's network.
  const { monitoring = null } = read('compose.scale.yaml').networks
  return { name, compose: { ...compose, networks: { ...compose.networks, monitoring } } }
})
const production = composes.filter(({ name }) => /production|scale/.test(name))
/** With no variable set. */
const plain = (value = '') => value.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1')
/** The variables of a file as Docker reads it: no quotes, no substitution. */
const readEnvFile = (name: string) =>
  Object.fromEntries(
    readFileSync(join(dir, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, string] => {
        const [key = '', ...value] = line.split('=')
        return [key, value.join('=')]
      }),
  )
const services = composes.flatMap(({ name, compose }) =>
  Object.entries(compose.services).map(([service, value]) => ({
    at: `${name}: ${service}`,
    service: value,
    compose,
  })),
)
const ours = services.filter(({ service: { image } }) => plain(image).startsWith('forkyard'))
const volumesOf = ({ volumes = [] }: Service) =>
  volumes.map((volume) => (typeof volume === 'string' ? volume : (volume.source ?? '')))
const networksOf = ({ networks = ['default'] }: Service) =>
  Array.isArray(networks) ? (networks as readonly string[]) : Object.keys(networks)
const isPublished = ({ ports = [] }: Service) => ports.length > 0

s('there are some', () => {
  assert.ok(files.includes('compose.yaml'))
  assert.ok(services.length > 3)
})

s('no service with a published port mounts the Docker socket, nor can a gateway see it', () => {
  for (const { at, service, compose } of services) {
    const holdsSocket = volumesOf(service).some((volume) => volume.includes('docker.sock'))
    if (!holdsSocket) continue
    assert.not.ok(isPublished(service), at)
    for (const network of networksOf(service))
      assert.is(compose.networks[network]?.internal, true, `${at}: ${network} leads out`)
  }
})

s('an anvil is published nowhere and listens on no network that a door is on but its own', () => {
  const chains = services.filter(({ at }) => / chain-/.test(at))
  assert.ok(chains.length > 0)
  for (const { at, service } of chains) {
    assert.not.ok(isPublished(service), at)
    assert.not.ok(networksOf(service).includes('front'), at)
  }
  for (const { at, compose } of chains) assert.is(compose.networks['chains']?.internal, true, at)
})

s('whatever the lab publishes is on loopback', () => {
  const lab = composes.find(({ name }) => name === 'compose.yaml')?.compose
  for (const [name, { ports = [] }] of Object.entries(lab?.services ?? {}))
    for (const port of ports) assert.match(String(port), /^127\.0\.0\.1:/, name)
})

s('elsewhere one variable binds what is published to an address; unset, to all', () => {
  for (const { at, service, compose } of services.filter((one) => isPublished(one.service))) {
    if (at.startsWith('compose.yaml')) continue
    const [outer = '', ...others] = networksOf(service).filter(
      (name) => compose.networks[name]?.internal !== true,
    )
    assert.equal(others, [], `${at}: published by which network?`)
    const options = compose.networks[outer]?.driver_opts ?? {}
    const bound = options['com.docker.network.bridge.host_binding_ipv4']
    const isWatcher = at.startsWith('compose.monitoring.yaml')
    const expected = isWatcher ? 'MONITORING_ADDRESS:-127.0.0.1' : 'PUBLISH_ADDRESS:-0.0.0.0'
    assert.is(bound, `\${${expected}}`, at)
  }
})

s('Redis is optional: not started unless asked for, and reached by gateways alone', () => {
  const scale = composes.find(({ name }) => name === 'compose.scale.yaml')?.compose
  const redis = scale?.services['redis']
  assert.match(String(redis?.deploy?.replicas), /^\$\{REDIS_REPLICAS:-0\}$/)
  assert.equal(networksOf(redis ?? {}), ['limits'])
  assert.is(scale?.networks['limits']?.internal, true)
  for (const [name, service] of Object.entries(scale?.services ?? {}))
    assert.is(networksOf(service).includes('limits'), ['redis', 'gateway'].includes(name), name)
})

s('no service is privileged, shares the host, or gains privileges', () => {
  for (const { at, service } of services) {
    assert.not.ok(service.privileged, at)
    assert.is(service.network_mode, undefined, at)
    assert.ok(service.security_opt?.includes('no-new-privileges:true'), at)
  }
})

s('our own run read-only, as nobody in particular, without capabilities', () => {
  assert.ok(ours.length > 3)
  for (const { at, service } of ours) {
    assert.is(service.read_only, true, at)
    assert.equal(service.cap_drop, ['ALL'], at)
    assert.equal(service.cap_add ?? [], [], at)
    if (!volumesOf(service).some((volume) => volume.includes('docker.sock')))
      assert.is(service.user, '1000:1000', at)
  }
})

s('everything has limits of memory and processes; our own rotate their logs', () => {
  for (const { at, service } of services) {
    const limits = service.deploy?.resources?.limits ?? {}
    assert.ok(service.mem_limit ?? limits['memory'], `${at}: memory`)
    assert.ok(service.pids_limit ?? limits['pids'], `${at}: pids`)
  }
  for (const { at, service } of ours) {
    assert.ok(service.logging?.options?.['max-size'], at)
    assert.ok(service.logging?.options?.['max-file'], at)
  }
})

s('what waits in the memory of a proxy is bounded', () => {
  const proxies = services.filter(({ service }) =>
    plain(service.image).startsWith('forkyard-proxy'),
  )
  assert.is(proxies.length, 2)
  for (const { at, service } of proxies)
    assert.match(JSON.stringify([service.tmpfs, service.volumes]), /size["=:]+(64m|67108864)/, at)
})

const environmentOf = ({ env_file = [], environment = {} }: Service) => ({
  ...Object.assign({}, ...env_file.map(plain).map(readEnvFile)),
  ...environment,
})

s('no stack of production is given an upstream by the environment', () => {
  for (const { name, compose } of production)
    for (const setting of Object.keys(environmentOf(compose.services['gateway'] ?? {})))
      assert.not.match(setting, /RPC_URL$/, name)
})

s('a gateway of production can be given every setting, and each stack gives the same', () => {
  const known = new Set(describeSettings().map(({ name }) => name))
  const given = production.map(({ name, compose }) => {
    const gateway = compose.services['gateway'] ?? {}
    // The operator's file first: what the stack is built on is not theirs to change.
    const [first = '', ...others] = gateway.env_file ?? []
    assert.match(first, /^\$\{SETTINGS_FILE:-\.\/gateway\.env\}$/, name)
    assert.equal(others, ['gateway.env'], name)
    for (const setting of Object.keys(environmentOf(gateway)))
      assert.ok(known.has(setting) || known.has(setting.replace(/_FILE$/, '')), setting)
    return environmentOf(gateway)
  })
  const { DATABASE_URL_FILE, REDIS_URL_FILE, ...scale } = given[1] ?? {}
  assert.equal(scale, given[0])
  assert.equal(
    [DATABASE_URL_FILE, REDIS_URL_FILE].map(String).map((path) => path.split('/')[3]),
    ['database_url', 'redis_url'],
  )
  const fixed = readEnvFile('gateway.env')
  for (const name of Object.keys(fixed).filter((one) => one.endsWith('_FILE'))) delete fixed[name]
  const pepper = { KEY_PEPPER: 'p'.repeat(32), BASE_RPC_URL: 'http://127.0.0.1:1' }
  const config = readConfig({ FREE_QUOTA: '7', ...fixed, ...pepper })
  assert.equal([config.mode, config.freeQuota, config.ops.host], ['live', 7, '127.0.0.1'])
})

s("the certificate that is looked at is the proxy's, or whose an operator says", () => {
  for (const { name, compose } of production) {
    const { CERTIFICATE_AT: at } = environmentOf(compose.services['gateway'] ?? {})
    assert.is(at, `\${CERTIFICATE_AT:-proxy:8443}`, name)
  }
})

s('every image is built by `make docker-images`, or pulled by a public name and version', () => {
  const makefile = readFileSync(join(dir, '../Makefile'), 'utf8')
  const built = new Map(
    [
      ...makefile.matchAll(/-f (\S+) -t (?:\$\(IMAGE_PREFIX\))?(\S+?)(?::\$\(IMAGE_TAG\))? \./g),
    ].map(([, dockerfile = '', name = '']) => [name, dockerfile]),
  )
  const pulled = ['postgres', 'redis', 'prom/prometheus', 'prom/alertmanager', 'grafana/grafana']
  for (const { at, service } of services) {
    const supervisor = service.command?.find((word) => word.startsWith('--image='))
    for (const image of [service.image, supervisor?.slice('--image='.length)]) {
      if (image === undefined) continue
      const [name = '', tag] = plain(image).split(':')
      if (!name.startsWith('forkyard')) {
        assert.ok([...pulled, 'otterscan/otterscan'].includes(name), `${at}: ${image}`)
        assert.match(tag ?? '', /^v?\d/, `${at}: ${image}`)
        continue
      }
      assert.ok(existsSync(join(dir, '..', built.get(name) ?? 'nowhere')), `${at}: ${image}`)
      if (!at.startsWith('compose.yaml'))
        assert.is(image, `\${IMAGE_PREFIX:-}${name}:\${TAG:-latest}`, at)
    }
  }
  for (const { name, compose } of production) {
    const { command = [] } = compose.services['simulatord'] ?? {}
    assert.ok(command.map(plain).includes('--image=forkyard-anvil:latest'), name)
    assert.match(readFileSync(join(dir, name), 'utf8'), /^# {3}make docker-images/m)
  }
})

s(
  "the operators' listener is open to the monitoring network, where no proxy and no fork is",
  () => {
    for (const { name, compose } of production) {
      const { monitoring } = compose.networks
      assert.is(monitoring?.internal, true, name)
      const subnet = compose.services['gateway']?.environment?.['OPS_NETWORK']
      assert.equal(monitoring?.ipam?.config, [{ subnet }], name)
      for (const [service, value] of Object.entries(compose.services))
        assert.is(networksOf(value).includes('monitoring'), service === 'gateway', service)
    }
  },
)

s('Prometheus and Grafana of production are given every rule and the dashboard', () => {
  const { services: watchers = {}, configs = {} } =
    composes.find(({ name }) => name === 'compose.monitoring.yaml')?.compose ?? {}
  const given = Object.values(watchers).flatMap(({ configs: named = [] }) =>
    named.map(({ source, target }) => [target, configs[source]?.file]),
  )
  for (const [target, file] of given) assert.ok(existsSync(join(dir, String(file))), target)
  for (const rules of globSync('*.yaml', { cwd: join(dir, 'alerts') }))
    assert.ok(
      given.some(([target]) => target === `/etc/prometheus/alerts/${rules}`),
      rules,
    )
})

s(
  'each stack keeps backups in a volume of its own, of a database that lets its log be read [24/backups-service]',
  () => {
    for (const { name, compose } of production) {
      const { networks, volumes = [], command = [], image = '' } = compose.services['backups'] ?? {}
      const isScale = name === 'compose.scale.yaml'
      assert.equal(networks, [isScale ? 'database' : 'backups'], name)
      assert.ok(volumes.includes('backups:/var/backups/forkyard'), name)
      const told = isScale
        ? readFileSync(join(dir, 'backups.Dockerfile'), 'utf8')
        : command.join(' ')
      assert.match(told.replaceAll(/[",[\]]/g, ''), 'backups keep /var/backups/forkyard', name)
      assert.match(plain(image), isScale ? 'forkyard-backups:' : 'forkyard:', name)
    }
    const compose = composes.find(({ name }) => name === 'compose.scale.yaml')?.compose
    const { postgres } = compose?.services ?? {}
    const [rules] = postgres?.configs ?? []
    assert.ok(postgres?.command?.includes(`hba_file=${rules?.target}`))
    const lines = readFileSync(
      join(dir, compose?.configs?.[rules?.source ?? '']?.file ?? ''),
      'utf8',
    )
    const fields = lines
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .map((line) => line.split(/\s+/))
    assert.ok(fields.some(([how, what]) => how === 'host' && what === 'replication'))
    // Nobody comes in from the network without the password.
    for (const [how, ...rest] of fields) if (how === 'host') assert.is(rest.at(-1), 'scram-sha-256')
  },
)

s('what gateways say to each other, to PostgreSQL and to forks is encrypted between nodes', () => {
  const { networks = {} } =
    composes.find(({ name }) => name === 'compose.scale.yaml')?.compose ?? {}
  const inside = Object.entries(networks).filter(([, network]) => network?.internal)
  assert.is(inside.length, 5)
  for (const [name, network] of inside) assert.is(network?.driver_opts?.['encrypted'], 'true', name)
})

s('secrets and configurations of a swarm have a version in their names', () => {
  // The database reads its password once, when it is made, and is not replaced for its rules.
  for (const { name, compose } of composes.filter((one) => /scale|monitoring/.test(one.name)))
    for (const [key, { name: named = '' }] of Object.entries({
      ...compose.secrets,
      ...compose.configs,
    }))
      if (['postgres_password', 'pg_hba.conf'].includes(key)) assert.is(named, '', name)
      else assert.match(named, `_${key}_\${SECRETS_VERSION:-1}`, name)
})

s('a former pepper comes to all that has the pepper, as a file [24/former-pepper]', () => {
  const { services: given, secrets = {} } = read('formerPepper.yaml')
  const [name = '', ...others] = Object.keys(secrets)
  assert.equal(others, [])
  for (const { name: file, compose } of production) {
    const holders = Object.keys(compose.services).filter((service) =>
      compose.services[service]?.secrets?.includes('key_pepper'),
    )
    assert.equal(Object.keys(given).sort(), holders.sort(), file)
  }
  for (const service of Object.values(given)) {
    assert.equal(service.secrets, [name])
    const environment = environmentOf(service)
    assert.is(environment['KEY_PEPPER_FORMER_FILE'], `/run/secrets/${name}`)
    assert.match(String(environment['KEY_PEPPER_FORMER_UNTIL']), /^\$\{KEY_PEPPER_FORMER_UNTIL:\?/)
  }
})

s("who has PostgreSQL's password is replaced where it changes [24/database-password]", () => {
  const [, change = ''] = readFileSync(join(dir, 'README.md'), 'utf8').split('\\password forkyard')
  const [, replaced = ''] = /--no-deps ([a-z ]+)#/.exec(change) ?? []
  const { services } = read('compose.scale.yaml')
  const having = Object.keys(services).filter((name) =>
    services[name]?.secrets?.includes('database_url'),
  )
  assert.equal(replaced.trim().split(' ').toSorted(), having.toSorted())
})

s('secrets come from files, never from the environment', () => {
  for (const { at, service } of services)
    for (const [name, value] of Object.entries(environmentOf(service))) {
      if (!/PASSWORD|PEPPER|PRIVATE_KEY|SECRET|TOKEN|PROVIDERS|DATABASE_URL|REDIS_URL/.test(name))
        continue
      assert.match(name, /_FILE$/, at)
      assert.match(String(value), /^\/run\/secrets\//, `${at}: ${name}`)
    }
})

s('Dockerfiles are there, and Prometheus, Grafana and the proxies find what they mount', () => {
  for (const { at, service } of services) {
    if (service.build?.dockerfile)
      assert.ok(existsSync(join(dir, '..', service.build.dockerfile)), at)
    for (const volume of volumesOf(service).filter((source) => source.startsWith('./')))
      assert.ok(existsSync(join(dir, volume.split(':')[0] ?? '')), `${at}: ${volume}`)
  }
})

s.run()
