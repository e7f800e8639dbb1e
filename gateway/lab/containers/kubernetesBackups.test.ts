import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { buildManifests, kubernetesDir } from '../../../fixtures/kubernetes/buildManifests.ts'
import { findViolations, type PodSpec } from '../../../fixtures/kubernetes/podSecurity.ts'
import { findSchemaErrors } from '../../../fixtures/kubernetes/schemaErrors.ts'
import { assert, suite } from '../../../fixtures/test.ts'

/** The manifests of what makes backups in a cluster, as kustomize itself builds them. */
const s = suite('kubernetes backups')
const [resources, example] = await Promise.all([
  buildManifests('example-backups'),
  buildManifests('example'),
])
const find = (kind: string, name = 'backups') => {
  const found = resources.find((each) => each.kind === kind && each.metadata.name === name)
  if (!found) throw new Error(`no ${kind} ${name}`)
  return found
}
type Pod = {
  readonly containers: readonly {
    readonly image: string
    readonly env: readonly { readonly value: string }[]
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  }[]
  readonly volumes: readonly {
    readonly name: string
    readonly secret?: { readonly items: readonly { readonly path: string }[] }
    readonly persistentVolumeClaim?: { readonly claimName: string }
  }[]
}
const { template, replicas, strategy } = find('Deployment').spec as {
  template: { spec: Pod }
  replicas: number
  strategy: { type: string }
}
const pod = template.spec

s(
  'are valid by the schemas of their kinds, and hold to restricted [24/kubernetes-backups]',
  async () => {
    for (const resource of resources) assert.is(await findSchemaErrors(resource), '', resource.kind)
    const judged = find('Deployment').spec as { template: { spec: PodSpec } }
    assert.equal(findViolations(judged.template.spec), [])
    assert.is(find('Deployment').metadata.namespace, 'forkyard')
    assert.is(resources.length, example.length + 3)
  },
)

s(
  'have one that keeps them on a volume, with two secrets and no other [24/kubernetes-backups]',
  () => {
    const [container] = pod.containers
    assert.equal([replicas, strategy.type], [1, 'Recreate'])
    assert.is(container?.image, 'registry.example.org/forkyard-backups:0.1.0')
    const mountOf = (name: string) => container?.volumeMounts.find((one) => one.name === name)
    const volumeOf = (name: string) => pod.volumes.find((one) => one.name === name)
    const files = volumeOf('secrets')?.secret?.items.map(({ path }) => path) ?? []
    assert.equal(files, ['database_url', 'key_pepper'])
    const places = files.map((file) => `${mountOf('secrets')?.mountPath}/${file}`)
    assert.equal(
      container?.env.map(({ value }) => value),
      places,
    )
    assert.is(
      volumeOf('kept')?.persistentVolumeClaim?.claimName,
      find('PersistentVolumeClaim').metadata.name,
    )
    // Where the image's command keeps them.
    const dockerfile = readFileSync(join(kubernetesDir, '../backups.Dockerfile'), 'utf8')
    const command = parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '') as readonly string[]
    assert.is(mountOf('kept')?.mountPath, command.at(-1))
  },
)

s('are let in by nobody, and out to names and databases alone [24/kubernetes-backups]', () => {
  type Policy = {
    readonly policyTypes: readonly string[]
    readonly ingress?: unknown
    readonly egress: readonly { readonly ports: readonly { readonly port: number }[] }[]
  }
  const { policyTypes, ingress, egress } = find('NetworkPolicy').spec as Policy
  assert.equal([policyTypes, ingress], [['Ingress', 'Egress'], undefined])
  assert.equal(
    egress.map(({ ports }) => ports.map(({ port }) => port)),
    [[53, 53], [5432]],
  )
})
s.run()
