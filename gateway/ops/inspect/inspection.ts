import type { Simulator } from '../../../simulator/simulator.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { httpError } from '../../http/httpError.ts'
import type { Relay } from '../../relay/service/relay.ts'
import type { Routing } from '../../routing/service/routing.ts'
import type { Store } from '../../store/ports.ts'
import type { Audits } from '../audit/audits.ts'
import { auditEndpoints } from './auditEndpoints.ts'
import { moneyEndpoints } from './moneyEndpoints.ts'
import { poolEndpoints } from './poolEndpoints.ts'
import { relayEndpoints } from './relayEndpoints.ts'
import { traceEndpoints } from './traceEndpoints.ts'

export type InspectedParts = {
  readonly routing: Pick<Routing, 'pools'>
  readonly store: Pick<Store, 'keys' | 'ledger' | 'receipts'>
  readonly relay: Pick<Relay, 'examine' | 'history'>
  readonly audits: Pick<Audits, 'state' | 'run'>
  readonly simulator: Pick<Simulator, 'traceCandidate'>
}

/** What operators look at of a running gateway, below `/ops/`: reads only, and 503 until its parts are there. */
export function createInspection() {
  let parts: InspectedParts | undefined
  function read(): InspectedParts {
    if (!parts) throw httpError('unavailable', 'the gateway is starting')
    return parts
  }
  const endpoints: readonly Endpoint[] = [
    ...poolEndpoints(() => read().routing),
    ...relayEndpoints(() => read().relay),
    ...moneyEndpoints(() => read().store),
    ...auditEndpoints(() => read().audits),
    ...traceEndpoints(() => read().simulator),
  ]
  return {
    endpoints,
    opens(opened: InspectedParts): void {
      parts = opened
    },
  }
}
