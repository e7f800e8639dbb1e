import { printTable } from '../observe/printTable.ts'
import { startDenseChain } from './sync/denseChain.ts'
import { measureBlocks } from './sync/measureBlocks.ts'
import { measureLoad } from './sync/measureLoad.ts'
import { measureRestart } from './sync/measureRestart.ts'

/**
 * How fast pools of the offline chain are loaded, followed and taken up again, each next to a floor of
 * the same run; median / worst. The chain with its pools is built once and kept in the cache.
 *
 * Usage: `npm run -s bench:sync -- [pools, default 1000] [runs, default 7]`.
 */
const [pools = 1_000, runs = 7] = process.argv.slice(2).map(Number)

const stand = await startDenseChain({
  pools,
  onProgress: (done) => process.stderr.write(`opening pools: ${done} of ${pools}\n`),
})
try {
  const rows = [
    await measureLoad(stand, { runs }),
    ...(await measureBlocks(stand, { blocks: 2 * runs })),
    await measureRestart(stand, { runs }),
  ]
  printTable((text) => process.stdout.write(text), {
    head: ['', 'goal', 'ours', 'floor', 'the floor is'],
    rows: rows.map(({ what, goal, ours, floor, floorIs }) => [what, goal, ours, floor, floorIs]),
  })
} finally {
  await stand.close()
}
