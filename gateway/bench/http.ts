import { fork } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import { type HttpFigures, type HttpTarget, measureHttp } from './measureHttp.ts'
import { quoteBody } from './quoteShape.ts'
import type { Ready } from './reportToParent.ts'

/**
 * A keyed, validated, durably charged endpoint: bare, through the gateway's service, and, where a lab is
 * up in this folder, the real `POST /quote`; all in one run. Usage: `npm run bench:http [seconds]`.
 */
const seconds = Number(process.argv[2] ?? 5)
const dir = mkdtempSync(join(tmpdir(), 'forkyard-bench-'))

type Child = HttpTarget & { readonly stop: () => void }

async function start(name: string, file: string, args: readonly string[]): Promise<Child> {
  const child = fork(join(import.meta.dirname, file), args)
  const next = <value>() =>
    new Promise<value>((resolve, reject) => {
      const fail = () => reject(new Error(`${name} ended early`))
      child.once('exit', fail)
      child.once('message', (message) => {
        child.off('exit', fail)
        resolve(message as value)
      })
    })
  const { url, apiKey } = await next<Ready>()
  return {
    name,
    url,
    headers: { 'x-api-key': apiKey },
    body: quoteBody,
    cpuMicros: async () => {
      child.send('cpu')
      return (await next<{ cpuMicros: number }>()).cpuMicros
    },
    stop: () => child.disconnect(),
  }
}

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

function print(figures: readonly HttpFigures[]): void {
  const floor = figures[0]
  const table = new Table({
    head: ['endpoint', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs/req', 'of the floor', 'failures'],
    style: { head: [], border: [] },
  })
  for (const { name, rps, p50Ms, p99Ms, cpuMicros, failures } of figures)
    table.push([
      name,
      rps.toFixed(0),
      p50Ms,
      p99Ms,
      cpuMicros?.toFixed(1) ?? '',
      floor ? `${((100 * rps) / floor.rps).toFixed(0)} %` : '',
      failures,
    ])
  process.stdout.write(`${table.toString()}\n`)
}

const servers = [
  await start('bare Koa, group commit', 'floorServer.ts', [join(dir, 'group.db'), 'group']),
  await start('createService', 'serviceServer.ts', [join(dir, 'service.db')]),
  await start('bare Koa, one transaction each', 'floorServer.ts', [join(dir, 'one.db'), 'single']),
]
try {
  print(await measureHttp([...servers, ...findLab()], { seconds }))
} finally {
  for (const { stop } of servers) stop()
  rmSync(dir, { recursive: true, force: true })
}
