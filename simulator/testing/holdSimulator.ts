/** A process of its own that starts a simulator, prints its forks' pids and lives until it is killed. */
import { readdirSync } from 'node:fs'
import { createSimulator } from '../simulator.ts'

const [upstreamUrl = '', forkDir = ''] = process.argv.slice(2)
await createSimulator({ chains: [{ chainId: 8453, upstreamUrl }], forkDir })
const pids = readdirSync(forkDir).map((name) => Number.parseInt(name, 10))
process.stdout.write(`${JSON.stringify(pids)}\n`)
setInterval(() => undefined, 60_000)
