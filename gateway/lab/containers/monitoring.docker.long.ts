import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import type { LabManifest } from '../manifest.ts'
import { payOnce } from '../testing/payOnce.ts'
import { createRuleTests, ruleFiles } from './testing/ruleTests.ts'
import { labPortNames, startStack } from './testing/stack.ts'

/**
 * The lab's profile `monitoring` before a real Prometheus: Debian's, in the place of the public image, which
 * needs a registry. Grafana itself does not run here; what its dashboard asks, Prometheus is asked.
 */
const s = suite('monitoring')
const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const image = 'forkyard-test-prometheus'
const patient = { deadlineMs: 180_000, everyMs: 500 }
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

type Sample = { readonly metric: Record<string, string>; readonly value: [number, string] }
type Rule = { readonly name: string; readonly health: string; readonly state: string }

async function ask<data>(path: string, query?: string): Promise<data> {
  const url = new URL(path, prometheus)
  if (query) url.searchParams.set('query', query)
  const answer = (await (await fetch(url)).json()) as { status: string; error?: string; data: data }
  assert.is(answer.status, 'success', `${query}: ${answer.error}`)
  return answer.data
}
const readRules = async () =>
  (await ask<{ groups: { rules: Rule[] }[] }>('/api/v1/rules')).groups.flatMap(({ rules }) => rules)
const isThere = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(3_000) }).then(
    ({ ok }) => ok,
    () => false,
  )

s('scrapes the gateway as its configuration says', async () => {
  await waitFor('the lab is ready', () => isThere(`${ops}/readyz`), patient)
  await waitFor('Prometheus is ready', () => isThere(`${prometheus}/-/ready`), patient)
  const isUp = async () => {
    const { result } = await ask<{ result: Sample[] }>('/api/v1/query', 'up{job="gateway"}')
    return result.length === 1 && result[0]?.value[1] === '1'
  }
  await waitFor('the gateway is scraped', isUp, patient)
})

s('takes our configuration and every rule: promtool and the running server agree', async () => {
  const check = ['promtool', 'check', 'config', '/etc/prometheus/prometheus.yml']
  const output = await lab.compose('exec', '-T', 'prometheus', ...check)
  assert.match(output, /SUCCESS: .*prometheus\.yml is valid/)
  for (const path of ruleFiles) {
    const count = readFileSync(path, 'utf8').match(/- (?:alert|record):/g)?.length
    assert.match(output, `SUCCESS: ${count} rules found`, path)
  }
  const areEvaluated = async () => (await readRules()).every(({ health }) => health === 'ok')
  await waitFor('all rules are evaluated', areEvaluated, patient)
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
  await payOnce(manifest)
  const { services, apiKey, chains } = manifest
  const [weth, usdc] = ['WETH', 'USDC'].map((name) => chains['8453']?.tokens[name]?.address)
  const owner = chains['8453']?.accounts[3]?.address
  const post = (url: string, body: unknown) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(body),
    }).then((response) => response.arrayBuffer())
  const amount = '1000000000000000'
  const traffic = () =>
    Promise.all([
      ...['8453', '1'].map((chain) =>
        post(`${services.routing}/quote`, {
          chain_id: Number(chain),
          token_in: weth,
          token_out: usdc,
          amount_in: amount,
        }),
      ),
      post(`${services.meta}/quote`, {
        chainId: 8453,
        tokenIn: weth,
        tokenOut: usdc,
        amountIn: amount,
        taker: owner,
      }),
      post(`${services.relay}/api/proxy`, {
        chainId: 8453,
        owner,
        tokenIn: weth,
        amountIn: amount,
      }),
    ])
  const dashboard = JSON.parse(
    readFileSync(join(root, 'docker/monitoring/grafana/forkyard.json'), 'utf8'),
  ) as { panels: { title: string; targets?: { expr: string }[] }[] }
  const asked = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, expr })),
  )
  assert.ok(asked.length >= 8)
  for (const { title, expr } of asked) {
    const hasFigures = async () => {
      await traffic()
      const { result } = await ask<{ result: Sample[] }>('/api/v1/query', expr)
      return result.some(({ value }) => Number.isFinite(Number(value[1])))
    }
    await waitFor(`${title}: figures`, hasFigures, patient)
  }
})

s('calls when the gateway hangs or is gone, and is quiet again when it is back', async () => {
  const stateOf = async (name: string) =>
    (await readRules()).find((rule) => rule.name === name)?.state
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
