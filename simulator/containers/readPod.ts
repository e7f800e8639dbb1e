/** Of a pod's own words, what is read here; all of it may be missing. */
export type Pod = {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly deletionTimestamp?: string
    readonly ownerReferences?: readonly { readonly name: string; readonly uid: string }[]
  }
  readonly status?: {
    readonly phase?: string
    readonly reason?: string
    readonly message?: string
    readonly podIP?: string
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
    }[]
    readonly containerStatuses?: readonly {
      readonly state?: {
        readonly waiting?: Said
        readonly running?: object
        readonly terminated?: Said & { readonly exitCode?: number }
      }
    }[]
  }
}
type Said = { readonly reason?: string; readonly message?: string }

export type PodState =
  | { readonly is: 'waiting'; readonly why: string }
  | { readonly is: 'stuck'; readonly why: string }
  | { readonly is: 'running'; readonly ip: string }
  | { readonly is: 'over'; readonly why: string }

/** Waiting that only somebody's hand ends; the kubelet's own words. */
const stuck: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
])

const say = (...words: readonly (string | undefined)[]) => words.filter(Boolean).join(': ')

/** What has become of a pod of one container that is never started again. */
export function readPod({ metadata: { deletionTimestamp }, status = {} }: Pod): PodState {
  const { phase, reason, message, podIP: ip, conditions = [], containerStatuses = [] } = status
  const { waiting, running, terminated } = containerStatuses[0]?.state ?? {}
  if (phase === 'Failed' || phase === 'Succeeded' || terminated)
    // Evicted, or ended by its node: the pod says so. OOMKilled: its container does.
    return { is: 'over', why: say(reason ?? terminated?.reason, message) || 'it ended' }
  if (deletionTimestamp) return { is: 'over', why: 'it is being deleted' }
  if (running && ip) return { is: 'running', ip }
  const why = say(waiting?.reason, waiting?.message)
  if (stuck.has(waiting?.reason ?? '')) return { is: 'stuck', why }
  const unscheduled = conditions.find(
    ({ type, status: met }) => type === 'PodScheduled' && met === 'False',
  )
  return { is: 'waiting', why: why || say(unscheduled?.reason, unscheduled?.message) || 'Pending' }
}
