import type { Config } from '../config/config.ts'
import type { Access } from '../http/access.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { ServiceOptions } from '../http/serviceOptions.ts'
import { baseUrl } from './baseUrl.ts'
import type { ServiceSpec } from './listenAll.ts'

type Name = 'routing' | 'meta' | 'relay'

/** The three services as they are listed, titled and listened for. */
export function toServices(
  config: Config,
  {
    endpoints,
    access,
    lab,
  }: {
    readonly endpoints: Record<Name, readonly Endpoint[]>
    readonly access: Access
    /** Of a lab: what goes wrong on demand. */
    readonly lab?:
      | {
          readonly interrupt: (service: Name) => ServiceOptions['interrupt']
          readonly alterAccess: (service: Name, access: Access) => Access
        }
      | undefined
  },
): readonly ServiceSpec[] {
  const of = (name: Name) => ({
    name,
    listener: config[name],
    endpoints: endpoints[name],
    access: namingItself(lab?.alterAccess(name, access) ?? access, baseUrl(config[name])),
    interrupt: lab?.interrupt(name),
  })
  return [
    { ...of('routing'), title: 'Forkyard routing' },
    { ...of('meta'), title: 'Forkyard meta-aggregator', requestIdField: 'requestId' },
    { ...of('relay'), title: 'Forkyard relay' },
  ]
}

/** Keys, limits and quota are the same for all; what a 402 asks to pay for is the service's own. */
const namingItself = (access: Access, url: string): Access => ({
  ...access,
  charge: (request) => access.charge({ ...request, baseUrl: url }),
})
