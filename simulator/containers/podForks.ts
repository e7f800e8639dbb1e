import { randomUUID } from 'node:crypto'
import { isStatus } from './engineError.ts'
import { followPods, listPods } from './followPods.ts'
import { anvilPort, type ForkEngine, type ForkLimits, forkLabel } from './forkEngine.ts'
import type { KubernetesApi } from './kubernetesApi.ts'
import { type OwnPod, ownerLabel, podManifest } from './podManifest.ts'
import { type Pod, readPod } from './readPod.ts'
import { waitUntilUp } from './waitUntilUp.ts'

type Settings = {
  readonly name: string
  readonly namespace: string
  readonly own: OwnPod
  readonly limits: ForkLimits
  readonly startTimeoutMs?: number
}
type Held = {
  readonly onExit: (id: string) => void
  readonly running: PromiseWithResolvers<string>
  /** Since when the server has known it, by our clock. */
  madeAtMs: number
  /** Whoever asked for it has it. */
  isUp: boolean
  why: string
}

const askTimeoutMs = 5_000
/** Less than a gateway waits for. */
const usualStartMs = 10_000

/** Forks as pods of the supervisor's namespace. What could not be deleted, or was made unheard, the next list removes. */
export async function createPodForks(
  { api, log }: { readonly api: KubernetesApi; readonly log: (line: string) => void },
  { name: supervisor, namespace, own, limits, startTimeoutMs = usualStartMs }: Settings,
): Promise<ForkEngine> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
  const all = { path, labels: { [forkLabel]: supervisor } }
  const held = new Map<string, Held>()
  let said = ''

  function tell(error: unknown) {
    const message = error instanceof Error ? error.message : String(error)
    if (message !== said) log(message)
    said = message
  }
  const inTime = () => AbortSignal.timeout(askTimeoutMs)
  async function remove(id: string) {
    try {
      await api.ask({ method: 'DELETE', path: `${path}/${id}`, signal: inTime() })
    } catch (error) {
      if (!isStatus(error, 404)) throw error
    }
  }
  const drop = (id: string) => void remove(id).catch(tell)
  /** From here on it is nobody's. */
  function release(id: string, why: string) {
    const fork = held.get(id)
    if (!fork) return
    held.delete(id)
    if (!fork.isUp) return fork.running.reject(new Error(why))
    log(`${id}: ${why}`)
    fork.onExit(id)
  }
  function note(pod: Pod) {
    const { name: id, deletionTimestamp } = pod.metadata
    const state = readPod(pod)
    const fork = held.get(id)
    if (state.is === 'running') fork?.running.resolve(state.ip)
    else if (fork) fork.why = state.why
    if (state.is === 'over' || state.is === 'stuck') release(id, state.why)
    if (!held.has(id) && !deletionTimestamp) drop(id)
  }
  function compare(pods: readonly Pod[], askedAtMs: number) {
    said = ''
    const there = new Set(pods.map(({ metadata }) => metadata.name))
    for (const [id, { madeAtMs }] of held)
      if (madeAtMs < askedAtMs && !there.has(id)) release(id, 'it is gone')
    for (const pod of pods) note(pod)
  }
  /** By another supervisor of this name. */
  async function isHeldElsewhere({ metadata: { ownerReferences = [] } }: Pod): Promise<boolean> {
    const [owner] = ownerReferences
    if (!owner || owner.uid === own.uid) return false
    try {
      const pod = await api.ask<Pod>({ path: `${path}/${owner.name}`, signal: inTime() })
      return pod.metadata.uid === owner.uid && readPod(pod).is === 'running'
    } catch (error) {
      if (isStatus(error, 404)) return false
      throw error
    }
  }
  async function sweep(): Promise<number> {
    const { items } = await listPods(api, all)
    const removed = await Promise.all(
      items.map(async (pod) => {
        if (await isHeldElsewhere(pod)) return 0
        await remove(pod.metadata.name)
        return 1
      }),
    )
    return removed.reduce<number>((sum, count) => sum + count, 0)
  }
  // Whoever may not even list them is told so at once.
  await listPods(api, all)
  const told = {
    listed: compare,
    changed: note,
    deleted: (id: string) => release(id, 'it was deleted'),
    failed: tell,
  }
  const labels = { ...all.labels, [ownerLabel]: own.uid }
  const following = followPods({ api, told }, { path, labels })
  return {
    host: own.ip,
    async start(request, onExit) {
      const id = `fork-${randomUUID()}`
      const running = Promise.withResolvers<string>()
      const fork: Held = { onExit, running, madeAtMs: Infinity, isUp: false, why: '' }
      held.set(id, fork)
      const startedAt = performance.now()
      const signal = AbortSignal.timeout(startTimeoutMs)
      signal.addEventListener('abort', () => running.reject(new Error('not in time')))
      // It may end when nobody waits for it any more.
      running.promise.catch(() => undefined)
      try {
        const body = podManifest({ name: id, supervisor, own, limits }, request)
        await api.ask({ method: 'POST', path, body, signal })
        fork.madeAtMs = performance.now()
        const url = `http://${await running.promise}:${anvilPort}`
        await waitUntilUp(url, { timeoutMs: startTimeoutMs - (performance.now() - startedAt) })
        if (!held.has(id)) throw new Error(fork.why)
        fork.isUp = true
        return { id, url }
      } catch (error) {
        held.delete(id)
        drop(id)
        // A watch that told nothing may be dead, and a list finds what was made unheard.
        following.again()
        const { message } = error as Error
        const late = `not in time: ${fork.why || 'the API server is silent'}`
        throw new Error(`the fork did not start: ${signal.aborted ? late : message}`)
      }
    },
    async stop(id) {
      const fork = held.get(id)
      held.delete(id)
      fork?.onExit(id)
      await remove(id)
    },
    // Kubernetes tells it by another API, to the cluster's own monitoring.
    readMemoryBytes: async () => undefined,
    sweep,
    async close() {
      await following.close()
      held.clear()
      await sweep()
    },
  }
}
