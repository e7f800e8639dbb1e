import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { waitFor } from '../../../../simulator/testing/waitFor.ts'
import type { LiveStack } from './liveStack.ts'

const run = promisify(execFile)
const patient = { deadlineMs: 240_000, everyMs: 250 }

/** Of `docker compose`: so many gateways, as they are started and as they are to stay. */
export const composeGateways = 3
export const composeScale = ['--scale', `gateway=${composeGateways}`, '--scale', 'simulatord=2']
const up = ['up', '--detach', '--no-build']

async function isHealthy({ docker }: LiveStack, id: string): Promise<boolean> {
  const { State } = await docker.getContainer(id).inspect()
  return State.Health?.Status === 'healthy'
}

async function requireReplaced(stack: LiveStack, old: readonly string[]) {
  const kept = (await stack.find('gateway')).filter((id) => old.includes(id))
  if (kept.length > 0) throw new Error(`${kept.length} gateways were not replaced`)
}

/** `docker compose up` anew with a changed setting: all gateways at once, which are away meanwhile. */
export async function replaceAtOnce(stack: LiveStack, setting: Readonly<Record<string, string>>) {
  const old = await stack.find('gateway')
  stack.changeSettings(setting)
  await stack.compose(...up, ...composeScale)
  await requireReplaced(stack, old)
}

/** As docker/README.md has it: a new gateway beside the others, and once it is healthy an old one less, until all are new. */
export async function replaceOneByOne(stack: LiveStack, setting: Readonly<Record<string, string>>) {
  const old = await stack.find('gateway')
  stack.changeSettings(setting)
  const oneMore = ['--scale', `gateway=${composeGateways + 1}`, 'gateway']
  for (const id of old) {
    // The engine's names know of a gateway before it listens, and the proxy passes over two of those, not over more.
    await stack.compose(...up, '--no-recreate', '--wait', ...oneMore)
    await run('docker', ['stop', id])
    await run('docker', ['rm', id])
  }
  await stack.compose(...up, ...composeScale)
  await requireReplaced(stack, old)
}

/** A swarm's rolling update: `docker service update` ends once the last new gateway has been watched. */
export async function updateService(stack: LiveStack) {
  const old = await stack.find('gateway')
  const { Config } = await stack.docker.getContainer(old[0] ?? '').inspect()
  const service = Config.Labels['com.docker.swarm.service.name'] ?? ''
  await run('docker', ['service', 'update', '--force', '--quiet', service])
  await requireReplaced(stack, old)
  const areHealthy = async () => {
    const healthy = await Promise.all(
      (await stack.find('gateway')).map((id) => isHealthy(stack, id)),
    )
    return healthy.length === old.length && healthy.every(Boolean)
  }
  await waitFor('the new gateways are healthy', areHealthy, patient)
}
