import type { Simulator } from '../simulator/simulator.ts'
import type { ChainClient } from './chain/client.ts'
import type { ChainConfig } from './config.ts'
import type { Log, Metrics } from './observe.ts'
import { alarmKinds, refusalCodes } from './relay/events.ts'
import { createRelay, type Relay } from './relay/relay.ts'
import { createSigner } from './relay/signer.ts'
import { reportRelay } from './reportRelay.ts'
import type { DigestKey } from './signing/digestKey.ts'
import type { Store } from './store/openStore.ts'
import { version } from './version.ts'

/** The relay over the chains that have a factory and a key. */
export function wireRelay({
  store,
  simulator,
  clients,
  chains,
  keys,
  log,
  metrics,
}: {
  readonly store: Store
  readonly simulator: Simulator
  readonly clients: readonly ChainClient[]
  readonly chains: readonly ChainConfig[]
  readonly keys: ReadonlyMap<number, DigestKey>
  readonly log: Log
  readonly metrics: Metrics
}): Relay {
  const served = chains.flatMap(({ chain: { chainId }, proxyFactory: factory, relayLimits }) => {
    const client = clients.find((candidate) => candidate.chainId === chainId)
    const key = keys.get(chainId)
    if (!factory || !key || !client) return []
    return [{ client, signer: createSigner({ chainId, factory, key }), limits: relayLimits }]
  })
  for (const { client } of served)
    metrics.expectsRelay({ chainId: client.chainId, alarmKinds, refusalCodes })
  return createRelay({
    store: store.relay,
    coordination: store.coordination,
    simulator,
    chains: served,
    version,
    observe: reportRelay({ log, metrics }),
  })
}
