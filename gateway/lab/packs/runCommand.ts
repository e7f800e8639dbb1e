import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/** As shells say it. */
const notFound = 127
const bySignal = 128

/**
 * Runs somebody's command in our place: in the folder that we were started in, with our input and output.
 * Resolves to its exit code, as a shell would see it.
 */
export async function runCommand(
  [name = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const child = spawn(name, args, { stdio: 'inherit', env })
  const passOn = (signal: NodeJS.Signals) => void child.kill(signal)
  // A terminal's Ctrl-C reaches the command by itself; we outlast it, to tell how it ended.
  const stay = () => undefined
  process.on('SIGTERM', passOn).on('SIGHUP', passOn).on('SIGINT', stay)
  try {
    return await new Promise<number>((resolve) => {
      child.once('error', (error) => {
        process.stderr.write(`forkyard: cannot run ${name}: ${error.message}\n`)
        resolve(notFound)
      })
      child.once('exit', (code, signal) => {
        resolve(code ?? bySignal + (signal ? constants.signals[signal] : 0))
      })
    })
  } finally {
    process.off('SIGTERM', passOn).off('SIGHUP', passOn).off('SIGINT', stay)
  }
}
