import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** Header and field names whose values never reach a log. */
const secretPaths = [
  'apiKey',
  'privateKey',
  'password',
  'signature',
  'headers["x-api-key"]',
  'headers["payment-signature"]',
]

/** Nothing but the secrets themselves: errors of upstreams lose parts of their URLs before (`chain/redact.ts`). */
function redactSecrets(line: string, secrets: readonly string[]) {
  return secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), line)
}

/**
 * The process's log: JSON lines on standard output.
 * @param secrets strings that must never be written, e.g. RPC URLs with their keys
 */
export function createLog({
  level,
  secrets,
  destination = process.stdout,
}: {
  readonly level: string
  readonly secrets: readonly string[]
  readonly destination?: DestinationStream
}): Log {
  const write = (line: string) => destination.write(redactSecrets(line, secrets))
  return pino(
    { level, base: null, redact: { paths: secretPaths, censor: '[redacted]' } },
    { write },
  )
}
