import type { Context } from 'koa'
import type { Access } from './access.ts'
import type { ConnectionBound } from './boundConnections.ts'
import type { Endpoint } from './endpoint.ts'
import type { RequestIdField } from './handleErrors.ts'
import type { Pages } from './pages.ts'
import type { Trail } from './trail.ts'

/** pino's shape; members that carry secrets are redacted by whoever makes it. */
export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type RequestEvent = {
  readonly service: string
  readonly method: string
  /** The endpoint's template, e.g. `/api/pool/:address`; `unmatched` for unknown paths. */
  readonly path: string
  readonly status: number
  readonly durationMs: number
  readonly requestId: string
  readonly code: string | undefined
  /** Of the trace that a collector gets of this request, where it gets one. */
  readonly traceId?: string | undefined
  /** How long steps of each kind were under way for it, in milliseconds, where somebody watches them. */
  readonly steps?: Readonly<Record<string, number>> | undefined
  readonly trail: Readonly<Trail>
}

export type ServiceOptions = {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly version?: string
  readonly endpoints: readonly Endpoint[]
  readonly access?: Access | undefined
  readonly requestIdField?: RequestIdField
  readonly maxBodyBytes?: number
  /** Addresses or CIDR blocks of proxies whose `X-Forwarded-For` counts. */
  readonly trustedProxies?: readonly string[]
  /** How many connections one network may have open; absent: as many as it likes. */
  readonly connections?: ConnectionBound | undefined
  /** In tests: an answer that breaks its output schema is a 500. */
  readonly checkOutput?: boolean
  /** Tells errors of what this service needs and has not (503) from mistakes of ours (500). */
  readonly isOutage?: ((error: unknown) => boolean) | undefined
  /** In a lab: which pages it trusts. */
  readonly pages?: Pages | undefined
  /** In a lab: may answer a request otherwise than the service does. */
  readonly interrupt?:
    | ((ctx: Context, next: () => Promise<unknown>) => Promise<unknown>)
    | undefined
  readonly log: Log
  readonly observe?: ((event: RequestEvent) => void) | undefined
}
