import { Type } from 'typebox'
import { named, oneOf, type Static } from '../../http/schemas.ts'
import type { SourceState } from '../dispatch.ts'

const state = oneOf(['ok', 'idle', 'paused', 'broken'], {
  description: 'idle: never called; paused: asked not to be called; broken: its circuit is open',
})

const SourceEntry = named(
  'Source',
  Type.Object({
    name: Type.String(),
    chainIds: Type.Array(Type.Integer(), { description: 'Where it is asked' }),
    note: Type.Optional(Type.String({ description: 'What it does not do, and why' })),
    state,
    breaker: oneOf(['closed', 'open', 'half_open']),
    calls: Type.Integer(),
    successRate: Type.Optional(Type.Number({ description: 'Quotes among the last 256 calls' })),
    p50Ms: Type.Optional(Type.Integer()),
    p95Ms: Type.Optional(Type.Integer()),
    failures: Type.Record(Type.String(), Type.Integer()),
    lastFailure: Type.Optional(Type.String()),
    retryAfterMs: Type.Integer(),
  }),
)

export const Sources = named(
  'Sources',
  Type.Object({
    sources: Type.Array(SourceEntry),
    leftOut: Type.Array(
      named(
        'SourceLeftOut',
        Type.Object({ name: Type.String(), chainId: Type.Integer(), reason: Type.String() }),
      ),
      { description: 'Exchanges of the routing service that are no source of their own' },
    ),
  }),
)

function stateOf({ breaker, retryAfterMs, calls }: SourceState): Static<typeof state> {
  if (breaker === 'open') return 'broken'
  if (retryAfterMs > 0) return 'paused'
  return calls === 0 ? 'idle' : 'ok'
}

export function fromSourceState(source: SourceState): Static<typeof SourceEntry> {
  const { name, chainIds, note, breaker, calls, successRate, p50Ms, p95Ms, failures, lastFailure } =
    source
  return {
    name,
    chainIds: [...chainIds],
    ...(note !== undefined && { note }),
    state: stateOf(source),
    breaker,
    calls,
    ...(successRate !== undefined && { successRate }),
    ...(p50Ms !== undefined && { p50Ms: Math.round(p50Ms) }),
    ...(p95Ms !== undefined && { p95Ms: Math.round(p95Ms) }),
    failures,
    ...(lastFailure !== undefined && { lastFailure }),
    retryAfterMs: source.retryAfterMs,
  }
}
