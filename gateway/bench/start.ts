import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestLab } from '../lab/testing/testLab.ts'
import { printTable } from '../observe/printTable.ts'

/**
 * Time from `lab-up` to the first answered quote, as the lab itself prints it.
 * Warm: the offline world stands in the cache. Cold: it is built first, into an empty cache.
 *
 * Usage: `npm run -s bench:start -- [warm runs, default 5]`.
 */
const warmRuns = Number(process.argv[2] ?? 5)

async function measure(env: Readonly<Record<string, string>> = {}) {
  const lab = await startTestLab(env)
  await lab.down()
  const seconds = /first quote answered after ([\d.]+) s/.exec(lab.printed)?.[1]
  if (!seconds) throw new Error(`the lab printed no time:\n${lab.printed}`)
  return Number(seconds)
}

const emptyCache = mkdtempSync(join(tmpdir(), 'forkyard-cold-'))
const cold = await measure({ FORKYARD_CACHE_DIR: emptyCache })
rmSync(emptyCache, { recursive: true })
await measure() // fills the usual cache where it is empty
const warm: number[] = []
for (let run = 0; run < warmRuns; run += 1) warm.push(await measure())
warm.sort((a, b) => a - b)
const median = warm[Math.floor(warm.length / 2)] ?? Number.NaN

printTable((text) => process.stdout.write(text), {
  head: ['start', 'runs', 'p50', 'min', 'max'],
  rows: [
    ['warm', String(warm.length), `${median} s`, `${warm.at(0)} s`, `${warm.at(-1)} s`],
    ['cold (world built first)', '1', `${cold} s`, `${cold} s`, `${cold} s`],
  ],
})
