import { buildManifests, type Resource } from '../../../fixtures/kubernetes/buildManifests.ts'
import { findViolations, type PodSpec } from '../../../fixtures/kubernetes/podSecurity.ts'
import { findSchemaErrors } from '../../../fixtures/kubernetes/schemaErrors.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { simulatordCommand } from '../../commands/simulatord.ts'

/** The manifests of forks in pods of their own, beside the gateways. */
const s = suite('kubernetes manifests of forks')
const resources = await buildManifests('example-forks')
const apart = resources.filter(({ metadata }) => metadata.namespace === 'forkyard-forks')
const find = (kind: string, name: string): Resource => {
  const found = resources.find((one) => one.kind === kind && one.metadata.name === name)
  if (!found) throw new Error(`no ${kind} ${name}`)
  return found
}
type Peer = {
  readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> }
  readonly namespaceSelector?: { readonly matchLabels: Readonly<Record<string, string>> }
  readonly ipBlock?: { readonly except?: readonly string[] }
}
type Policy = {
  readonly policyTypes: readonly string[]
  readonly ingress?: readonly Rule[]
  readonly egress?: readonly Rule[]
}
type Rule = {
  readonly from?: readonly Peer[]
  readonly to?: readonly Peer[]
  readonly ports: readonly { readonly port: number; readonly endPort?: number }[]
}
const policy = (name: string) => find('NetworkPolicy', name).spec as unknown as Policy
const nameOf = ({ podSelector, namespaceSelector, ipBlock }: Peer) =>
  ipBlock
    ? 'outside'
    : [
        ...Object.values(namespaceSelector?.matchLabels ?? {}),
        ...Object.values(podSelector?.matchLabels ?? {}),
      ].join('/')
const allowed = (rules: readonly Rule[] = []) =>
  rules.map(({ from = [], to = [], ports }) => [
    [...from, ...to].map(nameOf),
    ports.map(({ port, endPort }) => (endPort ? `${port}-${endPort}` : String(port))),
  ])
const container = () => {
  const { template } = find('Deployment', 'simulatord').spec as {
    template: {
      spec: PodSpec & {
        containers: readonly {
          args: readonly string[]
          env: readonly { name: string; value?: string }[]
        }[]
      }
    }
  }
  return { pod: template.spec, ...template.spec.containers[0] }
}

s(
  'are valid, and let the supervisor do with pods of its namespace what it has to [24/pods-role]',
  async () => {
    for (const resource of resources)
      assert.is(await findSchemaErrors(resource), '', `${resource.kind} ${resource.metadata.name}`)
    assert.equal((find('Role', 'simulatord') as unknown as { rules: unknown }).rules, [
      { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'delete'] },
    ])
    for (const { kind } of resources) assert.not.match(kind, /^Cluster/)
    // Who may make pods may have them read every secret of the namespace.
    for (const { kind } of apart) assert.not.equal(kind, 'Secret')
    assert.not.match(JSON.stringify(apart), 'secretName')
  },
)

s('bound pods and memory by a quota, and hold to the level restricted [24/pods-bound]', () => {
  const { hard } = find('ResourceQuota', 'forks').spec as { hard: Readonly<Record<string, string>> }
  const { spec } = find('Deployment', 'simulatord')
  const { replicas } = spec as { replicas: number }
  const { pod, args = [] } = container()
  const most = Number(args.find((word) => word.startsWith('--max-forks='))?.split('=')[1])
  assert.ok(replicas * most + replicas + 1 <= Number(hard['pods']))
  assert.equal(findViolations(pod), [])
  for (const name of ['forkyard', 'forkyard-forks'])
    assert.is(
      find('Namespace', name).metadata.labels?.['pod-security.kubernetes.io/enforce'],
      'restricted',
    )
})

s(
  'let forks be reached by gateways and supervisor, and reach the relays alone [24/pods-network]',
  () => {
    assert.equal(policy('nothing'), { podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
    const [relays, gateway] = [['32768-60999'], 'forkyard/gateway']
    const { ingress, egress } = policy('fork')
    assert.equal(allowed(ingress), [[[gateway, 'simulatord'], ['8545']]])
    assert.equal(allowed(egress), [[[gateway], relays]])
    const supervisor = policy('simulatord')
    assert.equal(allowed(supervisor.ingress), [[[gateway], ['8095']]])
    assert.equal(allowed(supervisor.egress), [
      [['fork'], ['8545']],
      [['outside'], ['443', '6443']],
    ])
    const [server] = supervisor.egress?.at(-1)?.to ?? []
    const given = ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32']
    assert.equal(server?.ipBlock?.except, given)
    const ofGateway = policy('gateway')
    assert.equal(allowed(ofGateway.ingress?.slice(-1)), [[['forkyard-forks/fork'], relays]])
    assert.equal(allowed(ofGateway.egress?.slice(-1)), [[['forkyard-forks'], ['8095', '8545']]])
  },
)

s('start the supervisor with options that it has, and lead gateways to it', () => {
  const { args = [], env = [] } = container()
  const command = simulatordCommand(() => undefined, {})
  const known = command.options.map(({ long }) => long)
  for (const word of args.slice(2)) assert.ok(known.includes(word.split('=')[0]), word)
  assert.equal(
    env.map(({ name }) => name),
    ['FORK_IMAGE', 'POD_NAME', 'POD_UID', 'POD_IP'],
  )
  assert.is(env[0]?.value, 'registry.example.org/forkyard-anvil:0.1.0')
  const { data = {}, metadata } = resources.find(({ kind }) => kind === 'ConfigMap') ?? find('', '')
  const url = new URL(data['SIMULATORD_URL'] ?? '')
  assert.is(url.host, 'simulatord.forkyard-forks:8095')
  assert.match(JSON.stringify(find('Deployment', 'gateway')), `"name":"${metadata.name}"`)
  assert.is(find('Service', 'simulatord').spec?.['clusterIP'], 'None')
})
s.run()
