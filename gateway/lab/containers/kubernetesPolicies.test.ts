import { readdirSync } from 'node:fs'
import {
  buildManifests,
  kubernetesDir,
  type Resource,
} from '../../../fixtures/kubernetes/buildManifests.ts'
import { findBroken, policyNames } from '../../../fixtures/kubernetes/policies.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { podManifest } from '../../../simulator/containers/podManifest.ts'

/**
 * What a linter of manifests says (kube-linter's checks, and some more), against each overlay as kustomize itself
 * builds it. kube-linter is to be had from no registry that is reached from here.
 */
const s = suite('kubernetes policies')
const overlays = ['example', 'example-backups', 'example-forks', 'gateway-api']

const { metadata: forkMetadata, ...fork } = podManifest(
  {
    name: 'fork-0',
    supervisor: 'simulatord',
    own: { name: 'simulatord-0', uid: 'uid-0', ip: '10.1.2.3' },
    limits: { image: 'registry.example.org/forkyard-anvil:0.1.0', memoryBytes: 2 ** 30, cpus: 1 },
  },
  {
    chainId: 8453,
    blockNumber: 1,
    upstreamHost: '10.1.2.4',
    upstreamPort: 40_000,
    upstreamPath: '/',
    niceness: 0,
  },
)
/** As the supervisor has it made, in the one overlay that has one. */
const withForks = async (overlay: string): Promise<readonly Resource[]> => [
  ...(await buildManifests(overlay)),
  ...(overlay === 'example-forks'
    ? [{ ...fork, metadata: { ...forkMetadata, namespace: 'forkyard-forks' } }]
    : []),
]
const built = new Map(
  await Promise.all(overlays.map(async (overlay) => [overlay, await withForks(overlay)] as const)),
)

s('are all overlays that are there', () => {
  const folders = readdirSync(kubernetesDir)
  const leans = folders.filter((name) => name.startsWith('example') || name === 'gateway-api')
  assert.equal(leans.sort(), overlays)
})

for (const [overlay, resources] of built)
  s(`${overlay} breaks no rule [24/kubernetes-policies]`, () => {
    assert.equal(findBroken(resources), [])
  })

s('each adds gateways by open streams and waiting searches [24/autoscaler-each]', () => {
  type Metric = { readonly pods?: { readonly metric: { readonly name: string } } }
  for (const [overlay, resources] of built) {
    const scaler = resources.find(({ kind }) => kind === 'HorizontalPodAutoscaler')
    const metrics = (scaler?.spec?.['metrics'] ?? []) as readonly Metric[]
    assert.equal(
      metrics.flatMap(({ pods }) => pods?.metric.name ?? []),
      ['forkyard_streams_open', 'forkyard_searches_waiting'],
      overlay,
    )
  }
})

/** What is put in the place of what stands in the manifests, by the rule that is broken then. */
const planted: Readonly<Record<string, readonly [from: string | RegExp, to: string]>> = {
  'no-read-only-root-fs': ['"readOnlyRootFilesystem":true', '"readOnlyRootFilesystem":false'],
  'latest-tag': ['/forkyard:0.1.0"', '/forkyard:latest"'],
  'unset-cpu-requirements': ['"cpu":"1"', '"gpu":"1"'],
  'unset-memory-requirements': ['"memory":"2Gi"', '"disk":"2Gi"'],
  'duplicate-env-var': ['"name":"POD_NAME"', '"name":"POD_UID"'],
  'env-var-secret': ['"name":"FORK_IMAGE"', '"name":"RELAYER_PASSWORD"'],
  'read-secret-from-env-var': ['"fieldRef"', '"secretKeyRef"'],
  'privileged-ports': ['"containerPort":8080', '"containerPort":80'],
  'startup-port': [/("startupProbe":.*?"port":)"\w+"/g, '$1"nothing"'],
  'liveness-port': [/("livenessProbe":.*?"port":)"\w+"/g, '$1"nothing"'],
  'readiness-port': [/("readinessProbe":.*?"port":)"\w+"/g, '$1"nothing"'],
  'pod-security': ['"allowPrivilegeEscalation":false', '"allowPrivilegeEscalation":true'],
  'no-liveness-probe': ['"livenessProbe"', '"otherProbe"'],
  'no-readiness-probe': ['"readinessProbe"', '"otherProbe"'],
  'default-service-account': [
    '"automountServiceAccountToken":false',
    '"automountServiceAccountToken":true',
  ],
  'non-existent-service-account': [
    '"serviceAccountName":"simulatord"',
    '"serviceAccountName":"nobody"',
  ],
  'unsafe-sysctls': ['"seccompProfile"', '"sysctls"'],
  'unbounded-volume': ['"sizeLimit"', '"size"'],
  'mismatching-selector': [
    /("selector":\{"matchLabels":\{"app\.kubernetes\.io\/name":)"gateway"/g,
    '$1"other"',
  ],
  'no-anti-affinity': ['"topologyKey":"kubernetes.io/hostname"', '"topologyKey":"zone"'],
  'no-rolling-update-strategy': ['"type":"RollingUpdate"', '"type":"Recreate"'],
  'no-disruption-budget': ['"kind":"PodDisruptionBudget"', '"kind":"Budget"'],
  'non-isolated-pod': ['"kind":"NetworkPolicy"', '"kind":"Policy"'],
  'namespace-not-restricted': ['enforce":"restricted"', 'enforce":"baseline"'],
  'config-map-secret': [
    '"DATABASE_URL_FILE":"/run/secrets/forkyard/database_url"',
    '"DATABASE_URL":"postgres://forkyard:word@db/forkyard"',
  ],
  'dangling-service': [
    '"selector":{"app.kubernetes.io/name":"gateway"}',
    '"selector":{"app.kubernetes.io/name":"other"}',
  ],
  'invalid-target-ports': ['"targetPort":"meta"', '"targetPort":"other"'],
  'exposed-services': ['"clusterIP":"None"', '"type":"NodePort"'],
  'dangling-ingress': ['"service":{"name":"gateway"', '"service":{"name":"other"'],
  'dangling-networkpolicy': [
    '"podSelector":{"matchLabels":{"app.kubernetes.io/name":"gateway"}}',
    '"podSelector":{"matchLabels":{"app.kubernetes.io/name":"other"}}',
  ],
  'dangling-horizontalpodautoscaler': [
    /"scaleTargetRef":\{[^}]*\}/g,
    '"scaleTargetRef":{"kind":"Deployment","name":"other"}',
  ],
  'hpa-minimum-three-replicas': ['"minReplicas":3', '"minReplicas":2'],
  'pdb-min-available': ['"minAvailable":2', '"minAvailable":3'],
  'pdb-unhealthy-pod-eviction-policy': ['"AlwaysAllow"', '"IfHealthyBudget"'],
  'wildcard-in-rules': ['"verbs":["create"', '"verbs":["*"'],
  'access-to-secrets': ['"resources":["pods"]', '"resources":["secrets"]'],
  'cluster-admin-role-binding': [/("roleRef":\{[^}]*"name":)"simulatord"/g, '$1"cluster-admin"'],
  'no-extensions-v1beta': ['"autoscaling/v2"', '"autoscaling/v2beta2"'],
  'use-namespace': ['"namespace":"forkyard"', '"namespace":"default"'],
}

s('each rule finds what breaks it [24/kubernetes-policies-teeth]', () => {
  assert.equal(Object.keys(planted).sort(), policyNames.toSorted())
  const text = JSON.stringify(built.get('example-forks'))
  for (const [rule, [from, to]] of Object.entries(planted)) {
    const changed = text.replaceAll(from, to)
    assert.not.equal(changed, text, rule)
    const found = findBroken(JSON.parse(changed) as readonly Resource[])
    assert.ok(
      found.some((line) => line.endsWith(`: ${rule}`)),
      `${rule}: ${found.join(', ')}`,
    )
  }
})

s('leave an image without a tag to nobody', () => {
  const text = JSON.stringify(built.get('example'))
  const imageIs = (image: string) =>
    findBroken(JSON.parse(text.replaceAll('forkyard:0.1.0', image)) as readonly Resource[])
  assert.equal(imageIs('forkyard'), ['Deployment gateway: latest-tag'])
  assert.equal(imageIs(`forkyard@sha256:${'a'.repeat(64)}`), [])
})
s.run()
