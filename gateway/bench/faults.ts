import { waitFor } from '../../simulator/testing/waitFor.ts'
import { startLabStack } from '../lab/containers/testing/labStack.ts'
import { startLiveStack } from '../lab/containers/testing/liveStack.ts'
import { type FaultFigure, measureFault } from '../lab/containers/testing/measureFault.ts'
import { makeSmallVolume } from '../lab/containers/testing/smallVolume.ts'
import {
  createStackFaults,
  type StackFault,
  type StruckStack,
} from '../lab/containers/testing/stackFaults.ts'
import { printTable } from '../observe/printTable.ts'

/**
 * Faults of the container stacks, one after the other under load: what health said of each, and how long
 * after the cause was gone everything was whole again. After each the books are checked; one that does not
 * balance ends the run. Needs a Docker engine, the images, `nsenter`, `curl` and root.
 *
 * Usage: `npm run -s bench:faults -- lab|production|scale [part of a fault's name …]`.
 */
const [file = 'production', ...parts] = process.argv.slice(2)
const lastMs = 5_000
const giveUpSecs = 60
const volumes = {
  lab: { name: 'shared', megabytes: 64, uid: 1000 },
  production: { name: 'data', megabytes: 16, uid: 1000 },
  scale: { name: 'postgres', megabytes: 160, uid: 999 },
} as const
const isKnown = (name: string): name is keyof typeof volumes => Object.hasOwn(volumes, name)
if (!isKnown(file)) throw new Error(`there is no stack ${file}`)

const volume = await makeSmallVolume(volumes[file])
const overrides = [volume.override]
const stack: StruckStack =
  file === 'lab'
    ? await startLabStack({ overrides })
    : await startLiveStack({
        file: `compose.${file}.yaml`,
        args: file === 'scale' ? ['--scale', 'gateway=2'] : [],
        settings: { RATE_LIMIT_PER_SECOND: '1000', RATE_LIMIT_BURST: '5000' },
        env: { REDIS_REPLICAS: '1' },
        overrides,
      })
const { kill, pause, cut, stop, restart, fill } = createStackFaults(stack, { lastMs })
const anyFault = (service: string, isOne = false) =>
  [kill, pause, cut].map((strike) => strike({ service, isOne }))

const faultsOf = {
  lab: () => [
    ...['gateway', 'rpc', 'chain-base'].flatMap((service) => anyFault(service)),
    fill({ name: 'SQLite volume', volume }),
  ],
  production: () => [
    ...['proxy', 'gateway', 'simulatord'].flatMap((service) => anyFault(service)),
    kill({ service: 'fork' }),
    pause({ service: 'fork' }),
    fill({ name: 'SQLite volume', volume }),
  ],
  scale: () => [
    ...['proxy', 'postgres', 'redis', 'simulatord'].flatMap((service) => anyFault(service)),
    ...anyFault('gateway', true),
    restart({ service: 'postgres' }),
    stop({ service: 'redis' }),
    fill({ name: 'PostgreSQL volume', volume }),
  ],
}

function toRow({ name, said, recoverySecs, tally }: FaultFigure): readonly string[] {
  const seconds =
    recoverySecs === undefined ? `not in ${giveUpSecs} s` : `${recoverySecs.toFixed(1)} s`
  const { acknowledged, refused, unknown } = tally
  return [name, said.join('; ') || 'nothing', seconds, `${acknowledged} / ${refused} / ${unknown}`]
}

let isAsked = true
// Whoever ends the run still gets the figures so far, and no container stays.
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    isAsked = false
  })
const figures: FaultFigure[] = []
try {
  const faults: readonly StackFault[] = faultsOf[file]()
  await waitFor('it serves', stack.isServing, { deadlineMs: 120_000, everyMs: 250 })
  const probeKey = await stack.createKey(10_000_000)
  await stack.createKey(10_000_000)
  for (const fault of faults) {
    if (!isAsked) break
    if (parts.length > 0 && !parts.some((part) => fault.name.includes(part))) continue
    const figure = await measureFault(stack, { ...fault, probeKey, giveUpSecs })
    process.stderr.write(`${toRow(figure).join(' | ')}\n`)
    figures.push(figure)
  }
} finally {
  await stack.down()
  await volume.remove()
}
printTable((text) => process.stdout.write(text), {
  head: ['fault', 'health said', 'whole again after', 'acknowledged / refused / unknown'],
  rows: figures.map(toRow),
})
