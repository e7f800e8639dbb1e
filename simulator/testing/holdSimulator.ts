/** A process of its own that starts a simulator, prints its forks' pids and lives until it is killed. */
import { createSimulator } from '../simulator.ts'
import { startTestForks } from './testForks.ts'

const [upstreamUrl = '', forkDir] = process.argv.slice(2)
const forks = await startTestForks({ forkDir })
await createSimulator({ chains: [{ chainId: 8453, upstreamUrl }], forks })
process.stdout.write(`${JSON.stringify(forks.pids())}\n`)
setInterval(() => undefined, 60_000)
