import { type DestinationStream, type Logger, pino } from 'pino'
import { redactSecrets } from './redactSecrets.ts'

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

/**
 * The process's log: JSON lines on standard output. Errors of upstreams lose parts of their URLs before
 * (`chain/nodes/redact.ts`).
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
