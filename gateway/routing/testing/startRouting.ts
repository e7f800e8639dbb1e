import type { Simulator } from '../../../simulator/simulator.ts'
import { createRouting, type Routing } from '../service/routing.ts'
import type { RoutingChainConfig } from '../service/routingDeps.ts'

/** Routing on one chain, warm, which follows the head no further than it is asked to. */
export async function startRouting(
  simulator: Simulator | undefined,
  chain: Pick<RoutingChainConfig, 'chainClient' | 'executor' | 'dexes'>,
): Promise<Routing> {
  const routing = await createRouting({
    chains: [{ ...chain, maxAgeMs: 0, pollMs: 3_600_000 }],
    simulator,
    serviceName: 'test',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
  })
  await routing.warmed
  return routing
}
