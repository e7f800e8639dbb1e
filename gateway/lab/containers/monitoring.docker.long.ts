import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import type { LabManifest } from '../manifest.ts'
import { createRuleTests, ruleFiles } from './testing/ruleTests.ts'
import { labPortNames, startStack } from './testing/stack.ts'
import { createWatcher, patient } from './testing/watchedLab.ts'

/**
 * The lab's profile `monitoring` before a real Prometheus: Debian's, in the place of the public image, which
 * needs a registry. Grafana itself does not run here; what its dashboard asks, Prometheus is asked.
 */
const s = suite('monitoring')
const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const image = 'forkyard-test-prometheus'
const dir = mkdtempSync(join(tmpdir(), 'forkyard-monitoring-'))
const override = join(dir, 'override.yaml')
writeFileSync(override, JSON.stringify({ services: { prometheus: { image } } }))
const dockerfile = join(root, 'docker/testing/prometheus.Dockerfile')
await run('docker', ['build', '-q', '--network', 'host', '-t', image, '-f', dockerfile, root], {
  env: { ...process.env, DOCKER_BUILDKIT: '0' },
})
const lab = await startStack({
  file: 'compose.yaml',
  overrides: [override],
  portNames: [...labPortNames, 'PROMETHEUS_PORT'],
  args: ['chain-base', 'chain-arbitrum', 'rpc', 'gateway', 'prometheus'],
})
s.after(async () => {
  await lab.down()
  rmSync(dir, { recursive: true })
})
const ops = `http://127.0.0.1:${lab.ports['OPS_PORT']}`
const prometheus = `http://127.0.0.1:${lab.ports['PROMETHEUS_PORT']}`
const watcher = createWatcher(prometheus)

const isThere = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(3_000) }).then(
    ({ ok }) => ok,
    () => false,
  )

s('scrapes the gateway as its configuration says', async () => {
  await waitFor('the lab is ready', () => isThere(`${ops}/readyz`), patient)
  await waitFor('Prometheus is ready', () => isThere(`${prometheus}/-/ready`), patient)
  await watcher.waitForScrape()
})

s('takes our configuration and every rule: promtool and the running server agree', async () => {
  const check = ['promtool', 'check', 'config', '/etc/prometheus/prometheus.yml']
  const output = await lab.compose('exec', '-T', 'prometheus', ...check)
  assert.match(output, /SUCCESS: .*prometheus\.yml is valid/)
  for (const path of ruleFiles) {
    const count = readFileSync(path, 'utf8').match(/- (?:alert|record):/g)?.length
    assert.match(output, `SUCCESS: ${count} rules found`, path)
  }
  await watcher.waitForRules()
})

s('fires every rule when it should, and only then', async () => {
  writeFileSync(join(dir, 'rules.yaml'), createRuleTests({ rulesDir: '/alerts' }).text)
  // Read by whoever Prometheus runs as.
  chmodSync(dir, 0o755)
  const mounts = ['-v', `${dir}:/tests:ro`, '-v', `${join(root, 'docker/alerts')}:/alerts:ro`]
  const promtool = ['--entrypoint', 'promtool', image, 'test', 'rules', '/tests/rules.yaml']
  assert.match((await run('docker', ['run', '--rm', ...mounts, ...promtool])).stdout, 'SUCCESS')
})

s('answers what the dashboard asks, every panel with figures once there is traffic', async () => {
  const manifest = (await (await fetch(`${ops}/lab/manifest`)).json()) as LabManifest
  await watcher.fillPanels(manifest)
})

s('calls when the gateway hangs or is gone, and is quiet again when it is back', async () => {
  const stateOf = async (name: string) =>
    (await watcher.readRules()).find((rule) => rule.name === name)?.state
  const waitForState = (state: string) =>
    waitFor(`it is ${state}`, async () => (await stateOf('GatewayDown')) === state, patient)
  assert.is(await stateOf('GatewayDown'), 'inactive')
  const [id = ''] = await lab.find('gateway')
  const container = lab.docker.getContainer(id)
  for (const [end, begin] of [
    [() => container.pause(), () => container.unpause()],
    [() => container.stop(), () => container.start()],
  ] as const) {
    await end()
    await waitForState('firing')
    await begin()
    await waitForState('inactive')
  }
})
s.run()
