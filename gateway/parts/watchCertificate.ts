import { connect } from 'node:tls'
import type { Config } from '../config/config.ts'
import { showCertificate } from '../observe/certificateMetrics.ts'
import { createLoop } from '../runtime/loop.ts'
import type { Observed } from './observed.ts'

/** Whoever stops waits no longer than this either. */
const answersWithinMs = 2_000

/** When the certificate ends that is served there for this name; it need not be one that we trust. */
function readEndMs(where: {
  host: string
  port: number
  name: string
  withinMs: number
}): Promise<number> {
  return new Promise((resolve, reject) => {
    const { host, port, name, withinMs } = where
    const socket = connect({ host, port, servername: name, rejectUnauthorized: false })
    // In all: the socket's own time limit begins anew with each byte of whoever shakes hands for ever.
    const late = setTimeout(() => socket.destroy(new Error('no answer in time')), withinMs)
    socket.once('close', () => clearTimeout(late))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to))
      socket.destroy()
    })
  })
}

type Where = Pick<Config, 'certificateAt'> & {
  readonly routing: Pick<Config['routing'], 'publicUrl'>
}

/** Looks every few minutes at the certificate that callers are shown, wherever it is renewed. */
export async function watchCertificate(
  { certificateAt, routing: { publicUrl } }: Where,
  {
    log,
    metrics,
    everyMs = 600_000,
    withinMs = answersWithinMs,
  }: Observed & { readonly everyMs?: number; readonly withinMs?: number },
) {
  if (certificateAt === undefined) return undefined
  const { hostname, port } = new URL(`tls://${certificateAt}`)
  const name = publicUrl === undefined ? hostname : new URL(publicUrl).hostname
  const shown = showCertificate(metrics)
  const watching = createLoop({
    everyMs,
    run: async () => shown(await readEndMs({ host: hostname, port: Number(port), name, withinMs })),
    failed: (cause) => {
      // Its age counts on from what was read last; where that is nothing, the metric says so.
      log.warn({ reason: (cause as Error).name }, 'the certificate was not read')
    },
  })
  // A proxy may wait for its gateways.
  void watching.runNow()
  watching.start()
  return { close: watching.stop }
}
