import type { TracedCall } from '../../../client/wire/ops.ts'

export type CallNode = { readonly call: TracedCall; readonly inner: readonly CallNode[] }

/** A tree of what came in the order of its beginning. */
export function nestCalls(calls: readonly TracedCall[], depth = 0): readonly CallNode[] {
  const starts = calls.flatMap((call, at) => (call.depth === depth ? [{ call, at }] : []))
  return starts.map(({ call, at }, index) => ({
    call,
    inner: nestCalls(calls.slice(at + 1, starts[index + 1]?.at), depth + 1),
  }))
}

/** How a link names one of them: by its label, where no other has the same. */
export const linkOf = (labels: readonly string[], index: number): string => {
  const label = labels[index] ?? ''
  return label !== '' && labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${index}`
}
