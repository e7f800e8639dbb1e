import { setTimeout as wait } from 'node:timers/promises'
import type { KubernetesApi } from './kubernetesApi.ts'
import type { Pod } from './readPod.ts'

type PodList = {
  readonly items: readonly Pod[]
  readonly metadata: { readonly resourceVersion: string }
}
type Told = {
  /** Everything there is; asked for at that moment of ours. */
  readonly listed: (pods: readonly Pod[], askedAtMs: number) => void
  readonly changed: (pod: Pod) => void
  readonly deleted: (id: string) => void
  readonly failed: (error: unknown) => void
}

const watchSecs = 60
/** A watch that outlives its own end by this is dead. */
const watchGraceMs = 5_000
/** So often at most is the list asked for, whatever goes wrong. */
const roundMs = 1_000
const listTimeoutMs = 5_000

export const listPods = (
  api: KubernetesApi,
  { path, labels }: { readonly path: string; readonly labels: Readonly<Record<string, string>> },
): Promise<PodList> =>
  api.ask({ path: `${path}?${select(labels)}`, signal: AbortSignal.timeout(listTimeoutMs) })

/**
 * What becomes of pods, by a list and a watch, again and again: what a watch has lost the next list tells, so
 * that its end, whatever the reason (410 most often), needs no care.
 */
export function followPods(
  { api, told }: { readonly api: KubernetesApi; readonly told: Told },
  where: Parameters<typeof listPods>[1],
) {
  const closing = new AbortController()
  let round = new AbortController()

  async function followOnce(ended: AbortSignal): Promise<void> {
    const askedAtMs = performance.now()
    const { items, metadata } = await listPods(api, where)
    told.listed(items, askedAtMs)
    const { resourceVersion } = metadata
    const query = { watch: 'true', resourceVersion, timeoutSeconds: String(watchSecs) }
    const deaf = AbortSignal.timeout(watchSecs * 1_000 + watchGraceMs)
    const signal = AbortSignal.any([ended, deaf])
    const path = `${where.path}?${select(where.labels, query)}`
    for await (const { type, object } of api.watch<Pod>({ path, signal })) {
      if (type === 'ERROR') return
      if (type === 'DELETED') told.deleted(object.metadata.name)
      else if (type !== 'BOOKMARK') told.changed(object)
    }
  }
  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      const begunMs = performance.now()
      round = new AbortController()
      const ended = AbortSignal.any([closing.signal, round.signal])
      await followOnce(ended).catch((error) => (ended.aborted ? undefined : told.failed(error)))
      const leftMs = Math.max(0, begunMs + roundMs - performance.now())
      await wait(leftMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }
  const following = follow()
  return {
    /** Begins anew with a list. */
    again: () => round.abort(),
    async close() {
      closing.abort()
      await following
    },
  }
}

function select(
  labels: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
) {
  const labelSelector = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return new URLSearchParams({ labelSelector: labelSelector.join(','), ...query })
}
