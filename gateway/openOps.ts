import type { Config } from './config.ts'
import { listenAll } from './listenAll.ts'
import type { Log, Metrics } from './observe.ts'
import { openToNetwork } from './ops/openToNetwork.ts'
import { createReadiness } from './ops/readiness.ts'
import { opsEndpoints } from './ops/routes.ts'

/** For operators, who may ask from the first moment on. */
export async function openOps(
  config: Config,
  observed: { readonly log: Log; readonly metrics: Metrics },
) {
  const readiness = createReadiness()
  observed.metrics.showReadiness(readiness.read)
  const endpoints = opsEndpoints({
    ...{ metrics: observed.metrics, readiness },
    labManifestPath: config.labManifestPath,
  })
  const title = 'Forkyard operations'
  const spec = { name: 'ops', title, listener: config.ops, endpoints }
  const listening = await listenAll(config, [spec], observed)
  const { network } = config.ops
  const [{ 1: service } = {}] = listening
  const door =
    network !== undefined && service
      ? await openToNetwork({ log: observed.log }, { network, port: service.port })
      : undefined
  observed.log.info({ ops: service?.url }, 'starting')
  return {
    ...{ readiness, listening },
    async close() {
      await service?.close()
      await door?.close()
    },
  }
}
