import type { Context } from 'koa'
import type { Upstream } from '../../chain/nodes/upstream.ts'
import type { Access } from '../../http/access.ts'
import type { Log } from '../../http/serviceOptions.ts'
import type { Source } from '../../meta/provider/source.ts'
import type { Routing } from '../../routing/service/routing.ts'
import { createArmedFaults } from './armedFaults.ts'
import { faultEndpoints } from './faultEndpoints.ts'
import type { createLabChains } from './labChains.ts'
import { createLasting } from './lasting.ts'
import { sellBack } from './sellBack.ts'

/** More than any key has. */
const beyondQuota = 2 ** 40

/** Faults on demand: the endpoints that arm them, and what plays them wherever they are played. */
export function createFaultEdge({
  now,
  log,
  chainsOf,
}: {
  readonly now: () => number
  readonly log: Log
  readonly chainsOf: ReturnType<typeof createLabChains>
}) {
  const armed = createArmedFaults({ now })
  const lasting = createLasting({ log })
  let routing: Pick<Routing, 'quote'> | undefined
  return {
    endpoints: faultEndpoints(armed, lasting),
    /** From when on there is a market to trade in. */
    serve(market: { readonly routing: Pick<Routing, 'quote'> }) {
      routing = market.routing
    },
    /** In front of a service. */
    interrupt: (service: string) => async (ctx: Context, next: () => Promise<unknown>) => {
      const [apiKey, clientId] = [ctx.get('x-api-key'), ctx.get('x-client-id')]
      const request = { service, path: ctx.path, apiKey, clientId }
      const found = ctx.method === 'OPTIONS' ? undefined : armed.take('request', request)
      if (!found) return next()
      const { settings, chainId } = found
      return found.fault.play({
        ctx,
        next,
        settings,
        log,
        lasting,
        chains: chainsOf(chainId),
        async sellBack(chain, trade) {
          if (!routing) throw new Error('the lab has no market yet')
          await sellBack({ routing }, chain, trade)
        },
      })
    },
    /** Where a service charges: who has nothing left hears what it costs. */
    alterAccess: (service: string, access: Access): Access => ({
      ...access,
      charge(request) {
        const { path, headers } = request
        const [apiKey = '', clientId = ''] = [headers['x-api-key'], headers['x-client-id']].map(
          String,
        )
        const found = armed.take('charge', { service, path, apiKey, clientId })
        return access.charge(found ? { ...request, cost: beyondQuota } : request)
      },
    }),
    /** In the place of a source of quotes. */
    alterSource: (source: Source): Source => ({
      ...source,
      async quote(...request) {
        const found = armed.take('source', { source: source.name })
        return found ? found.fault.outcome : source.quote(...request)
      },
    }),
    /** Between the gateway and a chain's nodes. */
    alterSend:
      (chainId: number) =>
      (send: Upstream['send']): Upstream['send'] =>
      async (...call) => {
        const found = armed.take('node', { chainId })
        return found ? found.fault.send({ send, settings: found.settings }, ...call) : send(...call)
      },
  }
}
