import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { startLiveStack } from '../lab/containers/testing/liveStack.ts'
import { labPortNames, startStack } from '../lab/containers/testing/stack.ts'
import { printTable } from '../observe/printTable.ts'

/**
 * Images and stacks: sizes, cold builds (no cached layer, but the base image), builds with nothing changed,
 * and the time from `up` with the images at hand until a quote is answered and every part is ready.
 *
 * Usage: `npm run -s bench:containers -- sizes`, `-- build [image …]`, `-- up [lab|production|scale …]`.
 */
const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const dockerfiles: Readonly<Record<string, string>> = {
  'forkyard-anvil': 'anvil.Dockerfile',
  forkyard: 'Dockerfile',
  'forkyard-lab': 'lab.Dockerfile',
  'forkyard-proxy': 'proxy.Dockerfile',
}
const patient = { deadlineMs: 300_000, everyMs: 50 }
const [what = 'sizes', ...chosen] = process.argv.slice(2)
const isChosen = (name: string) => chosen.length === 0 || chosen.includes(name)
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function readSize(image: string): Promise<string> {
  const { stdout } = await run('docker', ['image', 'inspect', image, '--format', '{{.Size}}'])
  return `${Math.round(Number(stdout) / 1e6)} MB`
}

async function build(image: string, args: readonly string[] = []) {
  const file = join(root, 'docker', dockerfiles[image] ?? '')
  const command = ['build', '-q', '--network', 'host', ...args, '-t', image, '-f', file, root]
  const env = { ...process.env, DOCKER_BUILDKIT: '0' }
  await run('docker', command, { env, maxBuffer: 2 ** 26 })
}

async function upLab(): Promise<number> {
  const startedAt = performance.now()
  const lab = await startStack({ file: 'compose.yaml', portNames: labPortNames })
  const isReady = () =>
    fetch(`http://127.0.0.1:${lab.ports['OPS_PORT']}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await waitFor('the lab is ready', isReady, patient)
  const upMs = performance.now() - startedAt
  await lab.down()
  return upMs
}

/** The key is made as soon as the gateway serves; its making is not counted. */
async function upLive(file: string, args: readonly string[] = []): Promise<number> {
  let startedAt = 0
  const stack = await startLiveStack({
    file,
    args,
    start(parameters) {
      startedAt = performance.now()
      return startStack(parameters)
    },
  })
  await waitFor('it serves', stack.isServing, patient)
  const keyMs = await time(() => stack.createKey(1_000))
  await waitFor('it quotes', stack.isQuoting, patient)
  const isHealthy = async () => {
    const states = await Promise.all(
      (await stack.find('gateway')).map((id) => stack.docker.getContainer(id).inspect()),
    )
    return states.every(({ State }) => State.Health?.Status === 'healthy')
  }
  const quotedMs = performance.now() - startedAt - keyMs
  await waitFor('all are healthy', isHealthy, patient)
  await stack.down()
  return quotedMs
}

const print = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  printTable((text) => process.stdout.write(text), { head, rows })

if (what === 'sizes') {
  const images = [...Object.keys(dockerfiles), 'node:24-bookworm-slim']
  const rows = await Promise.all(images.map(async (image) => [image, await readSize(image)]))
  print(['image', 'size'], rows)
}
if (what === 'build') {
  const rows: string[][] = []
  for (const image of Object.keys(dockerfiles).filter(isChosen)) {
    const cold = await time(() => build(image, ['--no-cache']))
    const warm = await time(() => build(image))
    rows.push([image, seconds(cold), seconds(warm)])
  }
  print(['image', 'cold build', 'nothing changed'], rows)
}
if (what === 'up') {
  const rows: string[][] = []
  if (isChosen('lab')) rows.push(['lab', seconds(await upLab())])
  if (isChosen('production'))
    rows.push(['production', seconds(await upLive('compose.production.yaml'))])
  if (isChosen('scale')) {
    const upMs = await upLive('compose.scale.yaml', ['--scale', 'gateway=3'])
    rows.push(['scale, three gateways', seconds(upMs)])
  }
  print(['stack', 'up to the first quote'], rows)
}
