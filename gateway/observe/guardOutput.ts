import { inspect } from 'node:util'

const toStderr = (text: string) => void process.stderr.write(`forkyard: ${text}\n`)

/**
 * Masks what Node writes of its own accord, which may quote a URL with its key: of an error that nobody caught,
 * which ends the process as before, and of warnings.
 */
export function guardOutput(mask: (text: string) => string): void {
  process.on('uncaughtException', (error) => {
    toStderr(mask(inspect(error)))
    process.exit(1)
  })
  // Nobody listens where warnings are turned off.
  if (process.listenerCount('warning') === 0) return
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => toStderr(mask(`${name}: ${message}`)))
}
