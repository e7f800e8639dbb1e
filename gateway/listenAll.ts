import { isStoreError } from './access/isStoreError.ts'
import type { Config, ListenerConfig } from './config.ts'
import type { Access } from './http/access.ts'
import type { Endpoint } from './http/endpoint.ts'
import { createService, type Listening } from './http/service.ts'
import type { Log, Metrics } from './observe.ts'
import { version } from './version.ts'

export type ServiceSpec = {
  readonly name: string
  readonly title: string
  readonly listener: ListenerConfig
  readonly endpoints: readonly Endpoint[]
  readonly access?: Access
  readonly requestIdField?: 'requestId'
}

/** Opens those of the services that the configuration enables. */
export async function listenAll(
  config: Config,
  specs: readonly ServiceSpec[],
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
) {
  const listening: (readonly [string, Listening])[] = []
  for (const { listener, ...spec } of specs.filter((each) => each.listener.enabled)) {
    const service = createService({
      ...spec,
      version,
      trustedProxies: config.trustedProxies,
      isOutage: isStoreError,
      log,
      observe: (event) => metrics.answered({ ...event, route: event.path }),
    })
    listening.push([spec.name, await service.listen(listener)])
  }
  return listening
}
