import { setTimeout as wait } from 'node:timers/promises'
import { forkLabel } from '../../../../simulator/containers/forkEngine.ts'
import type { LiveStack } from './liveStack.ts'
import type { SmallVolume } from './smallVolume.ts'

/** What is done to a running stack; when `strike` resolves, the cause is gone. */
export type StackFault = {
  readonly name: string
  readonly strike: () => Promise<void>
}

/** What strikes and measures need of a stack. */
export type StruckStack = Pick<
  LiveStack,
  | 'docker'
  | 'find'
  | 'kill'
  | 'compose'
  | 'forksName'
  | 'isServing'
  | 'ask'
  | 'quote'
  | 'readUsed'
  | 'audit'
  | 'down'
> & {
  createKey(quotes: number): Promise<string>
}

/** Of one service: all its containers are struck, or one of several that do the same. */
type Target = { readonly service: string; readonly isOne?: boolean }

/** The faults that any container of a stack may meet; `lastMs` is how long those that last do. */
export function createStackFaults(
  stack: Pick<LiveStack, 'docker' | 'find' | 'kill' | 'compose' | 'forksName'>,
  { lastMs }: { readonly lastMs: number },
) {
  const { docker } = stack

  async function findTargets({ service, isOne = false }: Target) {
    const ids =
      service === 'fork'
        ? (await docker.listContainers({ filters: forksOf(stack.forksName) })).map(({ Id }) => Id)
        : await stack.find(service)
    if (ids.length === 0) throw new Error(`the stack has no ${service}`)
    return (isOne ? ids.slice(0, 1) : ids).map((id) => docker.getContainer(id))
  }
  const nameOf = ({ service, isOne = false }: Target) => (isOne ? `one ${service}` : service)

  return {
    kill: (target: Target): StackFault => ({
      name: `${nameOf(target)} killed`,
      async strike() {
        for (const { id } of await findTargets(target)) await stack.kill(id)
      },
    }),
    pause: (target: Target): StackFault => ({
      name: `${nameOf(target)} paused`,
      async strike() {
        const targets = await findTargets(target)
        await Promise.all(targets.map((container) => container.pause()))
        await wait(lastMs)
        await Promise.all(targets.map((container) => container.unpause().catch(ignoreGone)))
      },
    }),
    /** Off all its networks, and back on them under its names. */
    cut: (target: Target): StackFault => ({
      name: `${nameOf(target)} cut off`,
      async strike() {
        const mend: (() => Promise<unknown>)[] = []
        for (const container of await findTargets(target)) {
          const { NetworkSettings } = await container.inspect()
          for (const [name, endpoint] of Object.entries(NetworkSettings.Networks)) {
            const network = docker.getNetwork(name)
            await network.disconnect({ Container: container.id, Force: true })
            const Aliases = [target.service, ...(endpoint.Aliases ?? [])]
            mend.push(() =>
              network.connect({ Container: container.id, EndpointConfig: { Aliases } }),
            )
          }
        }
        await wait(lastMs)
        for (const connect of mend) await connect()
      },
    }),
    stop: (target: Target): StackFault => ({
      name: `${nameOf(target)} stopped and started`,
      async strike() {
        await stack.compose('stop', target.service)
        await wait(lastMs)
        await stack.compose('start', target.service)
      },
    }),
    restart: (target: Target): StackFault => ({
      name: `${nameOf(target)} restarted`,
      strike: async () => void (await stack.compose('restart', target.service)),
    }),
    fill: ({ name, volume }: { name: string; volume: SmallVolume }): StackFault => ({
      name: `${name} full`,
      async strike() {
        volume.fill()
        await wait(lastMs)
        volume.empty()
      },
    }),
  }
}

/** A fork that hangs is replaced, and removed, while it does. */
function ignoreGone(error: { readonly statusCode?: number }): void {
  if (error.statusCode !== 404) throw error
}

const forksOf = (name: string) => ({ label: [`${forkLabel}=${name}`] })
