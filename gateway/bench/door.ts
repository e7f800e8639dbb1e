import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { canMakeNetworks } from '../../fixtures/canMakeNetworks.ts'
import { apart, ofOthers } from './door/networks.ts'

/**
 * The front door and strangers at it, each in a network namespace. All of them, their processes and their names are
 * inside namespaces of the run's own, so that nothing is left of it however it ends. Needs root, nginx with its stream
 * module, and iproute2. Usage: `npm run -s bench:door -- [seconds of each] [part of a row's name …]`.
 */
if (!(await canMakeNetworks())) process.exit(1)
const [execPath = '', ...execArgv] = [...apart, ...ofOthers, process.execPath]
const measuring = fork(join(import.meta.dirname, 'door', 'measureDoor.ts'), process.argv.slice(2), {
  execPath,
  execArgv,
})
const [code] = (await once(measuring, 'exit')) as [number | null]
process.exitCode = code ?? 1
