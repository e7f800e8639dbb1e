import { execFile } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { startLiveStack } from './liveStack.ts'

/**
 * docker/compose.monitoring.yaml beside compose.production.yaml: a gateway that hangs is told to somebody.
 * Prometheus and Alertmanager are Debian's, in the place of the public images, which need a registry.
 */
const s = suite('alerts of production')
const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const image = 'forkyard-test-prometheus'
const patient = { deadlineMs: 180_000, everyMs: 500 }
const dir = mkdtempSync(join(tmpdir(), 'forkyard-alerts-'))
const dockerfile = join(root, 'docker/testing/prometheus.Dockerfile')
await run('docker', ['build', '-q', '--network', 'host', '-t', image, '-f', dockerfile, root], {
  env: { ...process.env, DOCKER_BUILDKIT: '0' },
})

/** Whom the alerts call, on the machine's address that containers see. */
const calls: string[] = []
const person = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  calls.push(Buffer.concat(chunks).toString())
  response.end()
})
const { IPAM } = await new Docker().getNetwork('bridge').inspect()
const host = IPAM?.Config?.[0]?.['Gateway']
await new Promise<void>((resolve) => person.listen(0, host, resolve))
const url = `http://${host}:${(person.address() as AddressInfo).port}`

const config = join(dir, 'alertmanager.yaml')
const receivers = [{ name: 'person', webhook_configs: [{ url }] }]
const route = { receiver: 'person', group_wait: '1s', group_interval: '5s' }
writeFileSync(config, JSON.stringify({ route, receivers }), { mode: 0o600 })
if (process.getuid?.() === 0) chownSync(config, 1000, 1000)
const override = join(dir, 'override.yaml')
const alertmanager = { image, entrypoint: ['/usr/bin/prometheus-alertmanager'] }
const secrets = { 'alertmanager.yaml': { file: config } }
writeFileSync(
  override,
  JSON.stringify({ services: { prometheus: { image }, alertmanager }, secrets }),
)
const stack = await startLiveStack({
  file: 'compose.production.yaml',
  overrides: [join(root, 'docker/compose.monitoring.yaml'), override],
  args: ['proxy', 'gateway', 'simulatord', 'prometheus', 'alertmanager'],
})
s.after(async () => {
  await stack.down()
  person.close()
  rmSync(dir, { recursive: true })
})

s('calls a person when the gateway hangs, and says when it goes on', async () => {
  const [prometheus = ''] = await stack.find('prometheus')
  const query = encodeURIComponent('up{job="gateway"} == 1')
  const asked = `http://127.0.0.1:9090/api/v1/query?query=${query}`
  const program = `fetch('${asked}').then(async (r) => console.log((await r.json()).data.result.length))`
  const inside = ['run', '--rm', '--network', `container:${prometheus}`, 'forkyard', '-e', program]
  const isScraped = async () => (await run('docker', inside)).stdout.trim() === '1'
  await waitFor('the gateway is scraped', isScraped, patient)
  const [gateway = ''] = await stack.find('gateway')
  await stack.docker.getContainer(gateway).pause()
  const isCalled = (state: string) => () =>
    calls.some((call) => call.includes('"GatewayDown"') && call.includes(`"status":"${state}"`))
  await waitFor('somebody is called', isCalled('firing'), patient)
  await stack.docker.getContainer(gateway).unpause()
  await waitFor('it is over', isCalled('resolved'), patient)
  assert.ok(calls.length >= 2)
})
s.run()
