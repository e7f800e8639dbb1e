import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printHttp } from './printHttp.ts'
import { type HttpTarget, measureHttp } from './server/measureHttp.ts'
import { quoteBody } from './server/quoteShape.ts'
import { startServer } from './server/startServer.ts'

/**
 * A keyed, validated, durably charged endpoint: bare, through the gateway's service, and, where a lab is
 * up in this folder, the real `POST /quote`; all in one run. Usage: `npm run bench:http [seconds]`.
 */
const seconds = Number(process.argv[2] ?? 5)
const dir = mkdtempSync(join(tmpdir(), 'forkyard-bench-'))

/** The lab's own quote service, if one is up: the manifest says where and with which key. */
function findLab(): readonly HttpTarget[] {
  const path = '.lab/manifest.json'
  if (!existsSync(path)) return []
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as {
    services: { routing: string }
    apiKey: string
  }
  const headers = { 'x-api-key': manifest.apiKey }
  const url = `${manifest.services.routing}/quote`
  return [{ name: 'POST /quote of the lab', url, headers, body: quoteBody }]
}

const servers = [
  await startServer('bare Koa, group commit', 'floorServer.ts', [join(dir, 'group.db'), 'group']),
  await startServer('createService', 'serviceServer.ts', [join(dir, 'service.db')]),
  await startServer('createService, one transaction each', 'serviceServer.ts', [
    join(dir, 'alone.db'),
    'single',
  ]),
  await startServer('bare Koa, one transaction each', 'floorServer.ts', [
    join(dir, 'one.db'),
    'single',
  ]),
]
try {
  printHttp(await measureHttp([...servers, ...findLab()], { seconds }))
} finally {
  for (const { stop } of servers) stop()
  rmSync(dir, { recursive: true, force: true })
}
