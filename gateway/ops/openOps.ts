import type { Config } from '../config/config.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { ServiceOptions } from '../http/serviceOptions.ts'
import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { listenAll } from '../parts/listenAll.ts'
import { openToNetwork } from './openToNetwork.ts'
import { createReadiness } from './readiness.ts'
import { opsEndpoints } from './routes.ts'

/** For operators, who may ask from the first moment on. */
export async function openOps(
  config: Config,
  observed: { readonly log: Log; readonly metrics: Metrics },
  /** Of a lab: what changes its chains, and what answers in other people's stead. */
  {
    endpoints: control = [],
    interrupt,
  }: {
    readonly endpoints?: readonly Endpoint[] | undefined
    readonly interrupt?: ServiceOptions['interrupt']
  } = {},
) {
  const readiness = createReadiness()
  observed.metrics.showReadiness(readiness.read)
  const { labManifestPath } = config
  const always = opsEndpoints({ metrics: observed.metrics, readiness, labManifestPath })
  const endpoints = [...always, ...control]
  const title = 'Forkyard operations'
  const spec = { name: 'ops', title, listener: config.ops, endpoints, interrupt }
  const listening = await listenAll(config, [spec], observed)
  const { network } = config.ops
  const [{ 1: service } = {}] = listening
  const door =
    network !== undefined && service
      ? await openToNetwork({ log: observed.log }, { network, port: service.port })
      : undefined
  observed.log.info({ ops: service?.url }, 'starting')
  return {
    readiness,
    listening,
    async close() {
      await service?.close()
      await door?.close()
    },
  }
}
