import { createGateway, type Gateway } from './app.ts'
import { ConfigError, readConfig } from './config/config.ts'
import { listSecrets } from './config/listSecrets.ts'
import { findDockerAccess } from './dockerSocket.ts'
import { guardOutput } from './observe/guardOutput.ts'
import { createLog } from './observe/log.ts'
import { maskUrls } from './observe/maskUrls.ts'
import { createMetrics } from './observe/metrics.ts'
import { redactSecrets } from './observe/redactSecrets.ts'
import { watchSteps } from './observe/requestSteps.ts'
import { startTraces } from './observe/traces.ts'
import { watchCertificate } from './parts/watchCertificate.ts'
import { version } from './runtime/version.ts'
import { SchemaTooNew } from './store/schemaGuard.ts'

let secrets: readonly string[] = []
const mask = (text: string) => maskUrls(redactSecrets(text, secrets))
guardOutput(mask)

/** The gateway's process: reads the configuration, serves until SIGTERM or SIGINT, then drains. */
async function main() {
  const config = readConfig(process.env)
  secrets = listSecrets(config)
  const dockerAccess = config.mode === 'live' ? findDockerAccess(process.env) : undefined
  if (dockerAccess !== undefined)
    throw new ConfigError(
      `${dockerAccess} gives this process command of a Docker engine, which a live gateway must not have: run forkyard simulatord beside it and set SIMULATORD_URL`,
    )
  const log = createLog({ level: config.logLevel, secrets })
  const { serviceName } = config
  const traces = config.traces && (await startTraces({ ...config.traces, serviceName, version }))
  if (config.accessLog) watchSteps()
  let gateway: Gateway | undefined
  let stopping = false
  async function stop(signal: NodeJS.Signals) {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    // One that is still starting, or waits for its database, has nothing to drain.
    await gateway?.close()
    await traces?.close()
    process.exit(0)
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => void stop(name))
  const observed = { log, metrics: createMetrics() }
  gateway = await createGateway(config, observed)
  await watchCertificate(config, observed)
  const { listeners } = gateway
  log.info({ mode: config.mode, listeners }, 'serving')
}

try {
  await main()
} catch (error) {
  // Their text alone is written for people and free of values; the rest may quote a URL.
  const isForPeople = error instanceof ConfigError || error instanceof SchemaTooNew
  const reason = isForPeople ? error.message : describe(error)
  process.stderr.write(`forkyard: ${reason}\n`)
  process.exit(1)
}

function describe(error: unknown) {
  return mask(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
