import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureHttp } from './measureHttp.ts'
import { printHttp } from './printHttp.ts'
import { createQuestions, toBody } from './quote/questions.ts'
import { printUseCases } from './quote/useCases.ts'
import { startServer } from './startServer.ts'

/**
 * `POST /quote` with its key, its durable debit and its routing on 1,000 pools, next to the bare endpoint
 * of the same shape; then LP disposal and exact output. Usage: `npm run bench:quote [seconds]`.
 */
const seconds = Number(process.argv[2] ?? 5)
const dir = mkdtempSync(join(tmpdir(), 'forkyard-bench-'))
const floor = await startServer('bare Koa + ajv, durable debit', 'floorServer.ts', [
  join(dir, 'floor.db'),
  'group',
])
const server = await startServer('POST /quote', 'quoteServer.ts', [join(dir, 'quote.db')])
const mix = (freshPercent: number) => createQuestions({ freshPercent }).map(toBody)
try {
  printHttp(
    await measureHttp(
      [
        floor,
        { ...server, name: 'POST /quote, hot pair mix', body: mix(0) },
        { ...server, name: 'the same, 5 % asked for the first time', body: mix(5) },
      ],
      { seconds },
    ),
  )
} finally {
  floor.stop()
  server.stop()
  rmSync(dir, { recursive: true, force: true })
}
await printUseCases()
