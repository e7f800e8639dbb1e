import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { reply } from '../http/reply.ts'
import type { Metrics } from '../observe.ts'

export type Readiness = {
  readonly ready: boolean
  /** What is missing, one sentence each; empty when ready. */
  readonly reasons: readonly string[]
  /** What works in part only; none of it keeps a service from its work. */
  readonly warnings: readonly string[]
}

type Deps = {
  readonly metrics: Metrics
  readonly readiness: () => Promise<Readiness>
  /** Present in a lab only: elsewhere the lab's routes do not exist. */
  readonly labManifestPath: string | undefined
}

/** Endpoints for operators; bound to loopback by default, without keys. */
export function opsEndpoints({ metrics, readiness, labManifestPath }: Deps): readonly Endpoint[] {
  const always = [
    endpoint({
      method: 'get',
      path: '/livez',
      summary: 'The process answers',
      output: Type.Object({ status: Type.Literal('ok') }),
      auth: 'none',
      handle: async () => ({ status: 'ok' as const }),
    }),
    endpoint({
      method: 'get',
      path: '/readyz',
      summary: 'Whether every service can do its work; 503 with the reasons where not',
      output: Type.Object({
        ready: Type.Boolean(),
        reasons: Type.Array(Type.String()),
        warnings: Type.Array(Type.String()),
      }),
      auth: 'none',
      handle: async () => {
        const state = await readiness()
        return reply({ status: state.ready ? 200 : 503, body: state })
      },
    }),
    endpoint({
      method: 'get',
      path: '/metrics',
      summary: 'Prometheus metrics',
      output: Type.String(),
      auth: 'none',
      handle: async () =>
        reply({
          body: await metrics.registry.metrics(),
          headers: { 'content-type': metrics.registry.contentType },
        }),
    }),
  ]
  return labManifestPath === undefined ? always : [...always, labManifest(labManifestPath)]
}

function labManifest(path: string) {
  return endpoint({
    method: 'get',
    path: '/lab/manifest',
    summary: 'Everything a client needs to use this lab',
    output: Type.Object({ version: Type.String() }),
    auth: 'none',
    handle: async () =>
      reply({
        body: await readFile(path, 'utf8'),
        headers: { 'content-type': 'application/json; charset=utf-8' },
      }),
  })
}
