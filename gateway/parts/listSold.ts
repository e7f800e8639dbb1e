import { listResources, type Resource } from '../access/sale/listResources.ts'
import type { Config } from '../config/config.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { baseUrl } from './baseUrl.ts'

/** What quota buys at the services that are served. */
export function listSold(
  config: Config,
  endpoints: Readonly<Record<'routing' | 'meta', readonly Endpoint[]>>,
): readonly Resource[] {
  const names = ['routing', 'meta'] as const
  return names
    .filter((name) => config[name].enabled)
    .flatMap((name) => listResources(endpoints[name], baseUrl(config[name])))
}
