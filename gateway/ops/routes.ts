import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { httpError } from '../http/httpError.ts'
import { reply } from '../http/reply.ts'
import { named } from '../http/schemas.ts'
import type { Metrics } from '../observe/metrics.ts'
import { openMetrics } from '../observe/openMetrics.ts'
import { labManifest as labManifestSchema, manifestExample } from './labManifest.ts'
import type { ReadinessReader } from './readiness.ts'

type Deps = {
  readonly metrics: Metrics
  readonly readiness: ReadinessReader
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
      output: named('Live', Type.Object({ status: Type.Literal('ok') })),
      auth: 'none',
      examples: { output: { status: 'ok' } },
      handle: async () => ({ status: 'ok' as const }),
    }),
    endpoint({
      method: 'get',
      path: '/readyz',
      summary: 'Whether anything can be served; 503 with the reasons where not',
      output: named(
        'Readiness',
        Type.Object({
          ready: Type.Boolean(),
          reasons: Type.Array(Type.String()),
          warnings: Type.Array(Type.String()),
        }),
      ),
      auth: 'none',
      examples: { output: { ready: true, reasons: [], warnings: [] } },
      handle: async () => {
        const { ready, reasons, warnings } = await readiness.read()
        return reply({ status: ready ? 200 : 503, body: { ready, reasons, warnings } })
      },
    }),
    endpoint({
      method: 'get',
      path: '/startupz',
      summary:
        'Whether the gateway was ever ready; from then on 200 as long as the process answers',
      output: named('Startup', Type.Object({ started: Type.Boolean() })),
      auth: 'none',
      examples: { output: { started: true } },
      handle: async () => {
        const started = await readiness.hasStarted()
        return reply({ status: started ? 200 : 503, body: { started } })
      },
    }),
    endpoint({
      method: 'get',
      path: '/metrics',
      summary: 'Prometheus metrics; in the OpenMetrics format, with exemplars, for who accepts it',
      output: Type.String(),
      auth: 'none',
      examples: { output: '# HELP forkyard_ready …' },
      handle: async ({ accept }) => {
        const { registry } = metrics
        const shown = accept.includes('application/openmetrics-text')
          ? openMetrics(registry)
          : registry
        return reply({
          body: await shown.metrics(),
          headers: { 'content-type': shown.contentType },
        })
      },
    }),
  ]
  return labManifestPath === undefined ? always : [...always, labManifest(labManifestPath)]
}

function labManifest(path: string) {
  return endpoint({
    method: 'get',
    path: '/lab/manifest',
    summary: 'Everything a client needs to use this lab',
    output: labManifestSchema,
    auth: 'none',
    examples: manifestExample,
    handle: async () => {
      const body = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') throw httpError('unavailable', 'the lab is still starting')
        throw error
      })
      return reply({ body, headers: { 'content-type': 'application/json; charset=utf-8' } })
    },
  })
}
