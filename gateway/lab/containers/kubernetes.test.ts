import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { assert, suite } from '../../../fixtures/test.ts'

/**
 * The manifests against Kubernetes' own OpenAPI document, twice: as JSON schemas (compiled by ajv in
 * kubernetes-models: values, formats, what is required) and as types (also what it does not know); and
 * against each other.
 */
const s = suite('kubernetes manifests')
const run = promisify(execFile)
const dir = join(import.meta.dirname, '../../../docker/kubernetes')
const read = (name: string) => readFileSync(join(dir, name), 'utf8')

type Resource = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec?: Record<string, unknown>
}
const { resources: files } = parse(read('kustomization.yaml')) as {
  readonly resources: readonly string[]
}
const resources = files.flatMap((name) =>
  // Our own files: what they hold is judged below.
  parseAllDocuments(read(name)).map((document) => document.toJS() as Resource),
)
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

/** What the JSON schema of its kind says against an object; empty where nothing. */
async function findSchemaErrors(object: Resource): Promise<string> {
  const models: Readonly<Record<string, unknown>> = await import(
    `kubernetes-models/${object.apiVersion}/${object.kind}`
  )
  // The package's own shape: one class for each kind.
  const Model = models[object.kind] as new (data: unknown) => { validate(): void }
  try {
    new Model(object).validate()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

s('are valid by the JSON schemas of their kinds', async () => {
  for (const resource of resources) assert.is(await findSchemaErrors(resource), '', resource.kind)
})

s('would not be with a wrong type, a missing field or a number out of range', async () => {
  const change = (kind: string, spec: Record<string, unknown>) => {
    const found = resources.find((resource) => resource.kind === kind)
    if (!found) throw new Error(`no ${kind}`)
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
    ...['Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Ingress', 'Namespace'],
    ...['NetworkPolicy', 'PodDisruptionBudget', 'Service'],
  ])
  assert.is(await complaints(...resources), '')
})

s('would not pass with a misspelt field or a wrong type', async () => {
  const [gateway] = resources.filter(({ kind }) => kind === 'Deployment')
  if (!gateway) throw new Error('no deployment')
  const misspelt = { ...gateway, spec: { ...gateway.spec, replica: 3 } }
  assert.match(await complaints(misspelt), /replica.* does not exist/)
  const mistyped = { ...gateway, spec: { ...gateway.spec, replicas: 'three' } }
  assert.match(await complaints(mistyped), 'not assignable to type')
})

s('name only ports, labels and backends that are there', () => {
  const text = read('gateway.yaml')
  const find = (kind: string) => resources.find((resource) => resource.kind === kind)
  const json = (kind: string) => JSON.stringify(find(kind)?.spec)
  for (const port of ['routing', 'meta', 'relay']) {
    assert.match(json('Deployment'), `"name":"${port}"`)
    assert.match(json('Service'), `"targetPort":"${port}"`)
    assert.match(json('Ingress'), `"port":{"name":"${port}"}`)
  }
  for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'])
    assert.match(json(kind), '"app.kubernetes.io/name":"gateway"')
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) assert.match(text, probe)
  assert.not.match(JSON.stringify(resources), 'docker.sock')
})
s.run()
