import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { findPackageJSON } from 'node:module'
import { BlockList, isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import {
  buildManifests,
  kubernetesDir,
  type Resource,
} from '../../../fixtures/kubernetes/buildManifests.ts'
import { findSchemaErrors } from '../../../fixtures/kubernetes/schemaErrors.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { readConfig } from '../../config/config.ts'
import { createReadClientIp } from '../../http/clientIp.ts'

/**
 * The manifests as kustomize itself builds them, against Kubernetes' own OpenAPI document, twice: as JSON
 * schemas (compiled by ajv in kubernetes-models: values, formats, what is required) and as types (also what
 * it does not know); against each other; and against the gateway's own reading of its settings.
 */
const s = suite('kubernetes manifests')
const run = promisify(execFile)

const [base, resources, byGatewayApi] = await Promise.all([
  buildManifests('base'),
  buildManifests('example'),
  buildManifests('gateway-api'),
])
const find = (kind: string, among = resources) => {
  const found = among.find((resource) => resource.kind === kind)
  if (!found) throw new Error(`no ${kind}`)
  return found
}
const types = dirname(findPackageJSON('kubernetes-types', import.meta.url) ?? '')

/** The compiler's complaints about an object as a resource of its kind: unknown, missing, mistyped fields. */
async function complaints(...objects: readonly Resource[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'forkyard-kubernetes-'))
  const lines = objects.map((object, index) => {
    const group = object.apiVersion.replace('.k8s.io', '').replace(/^v1$/, 'core/v1')
    const path = JSON.stringify(join(types, `${group}.d.ts`))
    const value = JSON.stringify(object, undefined, 1)
    return `import type { ${object.kind} as Kind${index} } from ${path}\nexport const value${index}: Kind${index} = ${value}\n`
  })
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'))
  const tsc = findPackageJSON('typescript', import.meta.url) ?? ''
  const { bin } = JSON.parse(readFileSync(tsc, 'utf8')) as { bin: { tsc: string } }
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--types', '']
  const module = ['--module', 'preserve', '--allowImportingTsExtensions', '--ignoreConfig']
  try {
    const compiler = join(dirname(tsc), bin.tsc)
    await run(process.execPath, [compiler, ...options, ...module, join(folder, 'manifests.ts')])
    return ''
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

s('are valid by the JSON schemas of their kinds [24/kubernetes-valid]', async () => {
  for (const resource of [...resources, ...byGatewayApi])
    assert.is(await findSchemaErrors(resource), '', resource.kind)
})

s(
  "hold to the Gateway API's own schemas, which find what is wrong [24/gateway-api-valid]",
  async () => {
    const change = (kind: string, spec: Record<string, unknown>) => {
      const found = find(kind, byGatewayApi)
      return findSchemaErrors({ ...found, spec: { ...found.spec, ...spec } })
    }
    for (const kind of ['Gateway', 'HTTPRoute']) assert.is(await change(kind, {}), '', kind)
    const backendOf = (backend: object) => ({ rules: [{ backendRefs: [backend] }] })
    assert.match(await change('HTTPRoute', backendOf({ port: 8080 })), 'required property name')
    assert.match(await change('HTTPRoute', backendOf({ name: 'x', port: 70_000 })), '65535')
    assert.match(await change('Gateway', { gatewayClassName: undefined }), 'gatewayClassName')
    assert.match(await change('Gateway', { listeners: [{ name: 'x', port: 80 }] }), 'protocol')
  },
)

s('would not be with a wrong type, a missing field or a number out of range', async () => {
  const change = (kind: string, spec: Record<string, unknown>) => {
    const found = find(kind)
    return findSchemaErrors({ ...found, spec: { ...found.spec, ...spec } })
  }
  assert.match(await change('Deployment', { replicas: 'three' }), 'replicas must be integer')
  assert.match(await change('Deployment', { replicas: 2 ** 40 }), 'must match format "int32"')
  assert.match(await change('Deployment', { selector: undefined }), 'required property selector')
  assert.match(await change('Service', { ports: [{ name: 'http' }] }), 'required property port')
  assert.match(await change('NetworkPolicy', { ingress: [{ from: 'all' }] }), 'must be array')
  assert.match(await change('Ingress', { rules: [{ http: {} }] }), 'required property paths')
})

s('are what the schema says as types', async () => {
  assert.equal(resources.map(({ kind }) => kind).sort(), [
    'ConfigMap',
    'Deployment',
    'HorizontalPodAutoscaler',
    'Ingress',
    'Ingress',
    'Namespace',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'Service',
  ])
  assert.is(await complaints(...resources), '')
})

s('would not pass with a misspelt field or a wrong type', async () => {
  const gateway = find('Deployment')
  const misspelt = { ...gateway, spec: { ...gateway.spec, replica: 3 } }
  assert.match(await complaints(misspelt), /replica.* does not exist/)
  const mistyped = { ...gateway, spec: { ...gateway.spec, replicas: 'three' } }
  assert.match(await complaints(mistyped), 'not assignable to type')
})

s('name only ports, labels, backends and settings that are there', () => {
  const json = (kind: string) => JSON.stringify(find(kind).spec)
  for (const port of ['routing', 'meta', 'relay']) {
    assert.match(json('Deployment'), `"name":"${port}"`)
    assert.match(json('Service'), `"targetPort":"${port}"`)
    assert.match(json('Ingress'), `"port":{"name":"${port}"}`)
  }
  for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'])
    assert.match(json(kind), '"app.kubernetes.io/name":"gateway"')
  assert.match(json('Deployment'), `"configMapRef":{"name":"${find('ConfigMap').metadata.name}"}`)
  for (const { kind, metadata } of resources)
    assert.is(metadata.namespace, kind === 'Namespace' ? undefined : 'forkyard', kind)
  assert.not.match(JSON.stringify(resources), 'docker.sock')
})

s(
  'lead by the Gateway API to the ports that are there, in place of an ingress [24/gateway-api]',
  () => {
    assert.not.ok(byGatewayApi.some(({ kind }) => kind === 'Ingress'))
    type Ref = Readonly<Record<'name' | 'sectionName', string>>
    type Route = {
      readonly parentRefs: readonly Ref[]
      readonly hostnames?: readonly string[]
      readonly rules: readonly { backendRefs?: readonly { name: string; port: number }[] }[]
    }
    const { listeners } = find('Gateway', byGatewayApi).spec as {
      listeners: readonly { name: string; port: number }[]
    }
    const { ports } = find('Service', byGatewayApi).spec as {
      ports: readonly { name: string; port: number }[]
    }
    const routes = byGatewayApi.filter(({ kind }) => kind === 'HTTPRoute')
    assert.equal(routes.map(({ metadata }) => metadata.name).sort(), [
      'meta',
      'relay',
      'routing',
      'to-https',
    ])
    for (const { metadata, spec } of routes) {
      const { parentRefs, hostnames = [], rules } = spec as unknown as Route
      for (const { name, sectionName } of parentRefs) {
        assert.is(name, find('Gateway', byGatewayApi).metadata.name)
        assert.ok(listeners.some((listener) => listener.name === sectionName))
      }
      const [backend] = rules.flatMap(({ backendRefs = [] }) => backendRefs)
      if (metadata.name === 'to-https') continue
      assert.equal(hostnames, [`${metadata.name}.example.org`])
      assert.is(backend?.name, 'gateway')
      assert.is(ports.find(({ name }) => name === metadata.name)?.port, backend?.port)
    }
  },
)

s('scale by metrics that gateways have and the adapter serves [24/autoscaler]', async () => {
  const { metrics } = find('HorizontalPodAutoscaler', byGatewayApi).spec as {
    metrics: readonly { type: string; pods?: { metric: { name: string } } }[]
  }
  const names = metrics.flatMap(({ pods }) => pods?.metric.name ?? [])
  assert.equal(names, ['forkyard_streams_open', 'forkyard_searches_waiting'])
  assert.is(metrics[0]?.type, 'Resource')
  const { rules } = parse(
    readFileSync(join(kubernetesDir, 'autoscaling/adapter.yaml'), 'utf8'),
  ) as {
    rules: readonly { seriesQuery: string }[]
  }
  const served = new RegExp(/__name__=~"([^"]+)"/.exec(rules[0]?.seriesQuery ?? '')?.[1] ?? '')
  const listed = readFileSync(join(kubernetesDir, '../../docs/reference/metrics.md'), 'utf8')
  for (const name of names) {
    assert.match(name, served)
    assert.match(listed, `\`${name}\``)
  }
})

type Container = {
  readonly image: string
  readonly env?: unknown
  readonly securityContext?: Readonly<Record<string, unknown>>
  readonly startupProbe?: unknown
  readonly livenessProbe?: unknown
  readonly readinessProbe?: unknown
}
type Pod = {
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
}
const podOf = (among: readonly Resource[]) =>
  (find('Deployment', among).spec as { template: { spec: Pod } }).template.spec

type Peer = {
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
}
type Rule = { readonly to: readonly Peer[]; readonly ports?: readonly { readonly port: number }[] }

s(
  'let a gateway out to names and nodes, and not to what gives credentials of a cloud [24/egress]',
  () => {
    const { policyTypes, egress } = find('NetworkPolicy').spec as {
      policyTypes: readonly string[]
      egress: readonly Rule[]
    }
    assert.equal(policyTypes, ['Ingress', 'Egress'])
    const isWithin = (cidr: string, address: string) => {
      const [network = '', prefix] = cidr.split('/')
      const [list, family] = [new BlockList(), isIP(address) === 4 ? 'ipv4' : 'ipv6'] as const
      if (isIP(network) !== isIP(address)) return false
      list.addSubnet(network, Number(prefix), family)
      return list.check(address, family)
    }
    const reaches = (address: string, port: number) =>
      egress.some(
        ({ to, ports }) =>
          (!ports || ports.some((one) => one.port === port)) &&
          to.some(
            ({ ipBlock }) =>
              ipBlock &&
              isWithin(ipBlock.cidr, address) &&
              !ipBlock.except?.some((cidr) => isWithin(cidr, address)),
          ),
      )
    for (const [address, port] of [
      ['203.0.113.9', 443],
      ['10.1.2.3', 8545],
      ['2001:db8::9', 443],
      ['169.254.20.10', 53],
    ] as const)
      assert.ok(reaches(address, port), address)
    const ofAws = ['169.254.169.254', 'fd00:ec2::254', 'fd00:ec2::23']
    const ofOthers = ['fd20:ce::254', '100.100.100.200', '168.63.129.16']
    for (const address of [...ofAws, ...ofOthers, '169.254.20.10', 'fe80::1'])
      assert.not.ok(reaches(address, 80), address)
  },
)

s('let no container have more than it needs, and probe each that serves [24/pod-security]', () => {
  const enforced = find('Namespace').metadata.labels?.['pod-security.kubernetes.io/enforce']
  assert.is(enforced, 'restricted')

  const { securityContext, containers, initContainers = [] } = podOf(resources)
  assert.equal(securityContext, {
    runAsNonRoot: true,
    runAsUser: 1000,
    runAsGroup: 1000,
    seccompProfile: { type: 'RuntimeDefault' },
  })
  for (const container of [...containers, ...initContainers])
    assert.equal(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  for (const { startupProbe, livenessProbe, readinessProbe } of containers)
    assert.ok(startupProbe && livenessProbe && readinessProbe)
})

s('leave the place to the overlay, and their number to the autoscaler', () => {
  assert.not.match(JSON.stringify(base), 'example.org')
  assert.equal(
    podOf(resources).containers.map(({ image }) => image),
    ['registry.example.org/forkyard:0.1.0'],
  )
  assert.is(find('Deployment').spec?.['replicas'], undefined)
  const { minReplicas } = find('HorizontalPodAutoscaler').spec as { minReplicas: number }
  const { minAvailable } = find('PodDisruptionBudget').spec as { minAvailable: number }
  assert.ok(minAvailable < minReplicas, 'no pod may ever be evicted')
})

s('are a configuration that the gateway takes and all can patch [24/monitoring-set]', () => {
  const secrets = mkdtempSync(join(tmpdir(), 'forkyard-secrets-'))
  const values = {
    database_url: 'postgres://u:p@db/forkyard',
    redis_url: 'redis://redis',
    key_pepper: 'p'.repeat(40),
    base_rpc_url: 'https://base.example',
    relayer_password: 'x',
    arbitrum_rpc_url: 'https://arbitrum.example',
    'base_relayer.json': '{}',
  }
  for (const [name, value] of Object.entries(values)) writeFileSync(join(secrets, name), value)
  try {
    for (const among of [base, resources]) {
      for (const { env } of podOf(among).containers)
        assert.is(env, undefined, 'beats the config map')
      const settings = Object.entries(find('ConfigMap', among).data ?? {})
      const config = readConfig(
        Object.fromEntries(
          settings.map(([name, value]) => [
            name,
            value.replace('/run/secrets/forkyard/', `${secrets}/`),
          ]),
        ),
      )
      for (const host of [config.routing, config.meta, config.relay, config.ops])
        assert.is(host.host, '::')
      assert.is(config.databaseUrl, values.database_url)
      const readClientIp = createReadClientIp(config.trustedProxies)
      for (const pod of ['10.244.1.7', '172.20.0.9', '192.168.3.4', '100.64.5.6', 'fd00:10::7'])
        assert.is(
          readClientIp({
            socket: { remoteAddress: pod },
            headers: { 'x-forwarded-for': '203.0.113.9' },
          } as unknown as IncomingMessage),
          '203.0.113.9',
          pod,
        )
      if (among === base) continue
      assert.is(config.redisUrl, values.redis_url)
      // Without these their alerts have nothing to look at.
      assert.is(config.certificateAt, 'routing.example.org:443')
      assert.ok(config.databaseDiskBytes)
      for (const name of ['routing', 'meta', 'relay'] as const)
        assert.is(config[name].publicUrl, `https://${name}.example.org`)
    }
  } finally {
    rmSync(secrets, { recursive: true })
  }
})
s.run()
