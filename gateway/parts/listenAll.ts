import { isStoreError } from '../access/isStoreError.ts'
import type { Config, ListenerConfig } from '../config/config.ts'
import type { Access } from '../http/access.ts'
import { createReadConnectionIp } from '../http/clientIp.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { createPages } from '../http/pages.ts'
import { createService, type Listening } from '../http/service.ts'
import type { ServiceOptions } from '../http/serviceOptions.ts'
import { accessLine } from '../observe/accessLine.ts'
import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { version } from '../runtime/version.ts'

export type ServiceSpec = {
  readonly name: string
  readonly title: string
  readonly listener: ListenerConfig
  readonly endpoints: readonly Endpoint[]
  readonly access?: Access
  readonly requestIdField?: 'requestId'
  readonly interrupt?: ServiceOptions['interrupt']
}

/** Opens those of the services that the configuration enables. */
export async function listenAll(
  config: Config,
  specs: readonly ServiceSpec[],
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
) {
  // In a lab only: elsewhere every page is alike.
  const pages =
    config.labManifestPath && createPages({ origins: config.labOrigins, token: config.labToken })
  const { trustedProxies, maxConnectionsPerAddress: most } = config
  const connections =
    most === undefined ? undefined : { most, ipOf: createReadConnectionIp(trustedProxies) }
  const listening: (readonly [string, Listening])[] = []
  for (const { listener, ...spec } of specs.filter((each) => each.listener.enabled)) {
    const service = createService({
      ...spec,
      version,
      trustedProxies,
      connections,
      isOutage: isStoreError,
      pages: pages || undefined,
      log,
      observe(event) {
        metrics.answered({ ...event, route: event.path })
        if (config.accessLog) log.info(accessLine(event), 'answered')
      },
    })
    listening.push([spec.name, await service.listen(listener)])
  }
  metrics.showStreams(() => listening.map(([name, { openStreams }]) => [name, openStreams()]))
  return listening
}
