import type { Simulator } from '../../simulator/simulator.ts'
import type { ChainClient } from '../chain/client.ts'
import type { ChainConfig } from '../config/config.ts'
import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { reportRelay } from '../observe/reportRelay.ts'
import type { AdmissionRules } from '../relay/admission.ts'
import { alarmKinds, refusalCodes } from '../relay/events.ts'
import { createRelay, type Relay } from '../relay/service/relay.ts'
import { createSigner } from '../relay/signer.ts'
import { version } from '../runtime/version.ts'
import type { DigestKey } from '../signing/digestKey.ts'
import { createFillSigner } from '../signing/fillSigner.ts'
import type { Store } from '../store/openStore.ts'

/** The relay over the chains that have a factory and a key. */
export function wireRelay({
  store,
  simulator,
  clients,
  chains,
  keys,
  log,
  metrics,
  rules,
}: {
  readonly rules: AdmissionRules
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
    const signer = createSigner({ chainId, factory, key })
    return [{ client, signer, filler: createFillSigner({ chainId, key }), limits: relayLimits }]
  })
  for (const { client } of served)
    metrics.expectsRelay({ chainId: client.chainId, alarmKinds, refusalCodes })
  return createRelay({
    store: store.relay,
    admission: { rules, admissions: store.admissions },
    coordination: store.coordination,
    simulator,
    chains: served,
    version,
    observe: reportRelay({ log, metrics }),
  })
}
