import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printHttp } from './printHttp.ts'
import { createQuestions, toBody } from './quote/questions.ts'
import { printUseCases } from './quote/useCases.ts'
import { measureHttp } from './server/measureHttp.ts'
import { startServer } from './server/startServer.ts'

/**
 * `POST /quote` with its key, its durable debit and its routing on 1,000 pools, next to the bare endpoint
 * of the same shape; then LP disposal and exact output. Usage: `npm run bench:quote [seconds]`.
 */
const seconds = Number(process.argv[2] ?? 5)
const dir = mkdtempSync(join(tmpdir(), 'forkyard-bench-'))
const floor = await startServer('bare Koa + ajv, durable debit, 12 kB', 'floorServer.ts', [
  join(dir, 'floor.db'),
  'group',
  'long',
])
const start = (pools: string, ...wander: readonly string[]) =>
  startServer(pools, 'quoteServer.ts', [join(dir, `${[pools, ...wander]}.db`), pools, ...wander])
const still = await start('still')
const moving = await start('moving')
const fast = await start('fast')
const movingFree = await start('moving', 'free')
const fastFree = await start('fast', 'free')
const mix = (freshPercent: number) => createQuestions({ freshPercent }).map(toBody)
try {
  printHttp(
    await measureHttp(
      [
        floor,
        { ...still, name: 'POST /quote, hot pair mix between two blocks', body: mix(0) },
        { ...moving, name: 'the same, a block changes 20 pools every 2 s', body: mix(0) },
        { ...fast, name: 'a block changes 5 pools every 250 ms', body: mix(0) },
        { ...moving, name: '20 every 2 s, and 5 % asked for the first time', body: mix(5) },
        { ...movingFree, name: '20 every 2 s, and nobody arbitrages', body: mix(0) },
        { ...fastFree, name: '5 every 250 ms, and nobody arbitrages', body: mix(0) },
      ],
      { seconds },
    ),
  )
} finally {
  for (const { stop } of [floor, still, moving, fast, movingFree, fastFree]) stop()
  rmSync(dir, { recursive: true, force: true })
}
await printUseCases()
