import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Consumer, openConsumer, packFromCopy } from '../../fixtures/package/consumer.ts'
import { packageVersion } from '../../fixtures/world/parts/packageVersion.ts'
import type { LabManifest } from '../lab/manifest.ts'
import { printTable } from '../observe/printTable.ts'

/**
 * Seconds from `npm i forkyard forkyard-world viem` in an empty project to the first answered quote of its lab, and
 * to the swap of docs/start.md, on Node 22. Cold: npm's cache and ours are empty. Warm: the same again in another
 * empty project.
 *
 * Usage: `npm run -s bench:install`.
 */
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

const guide = readFileSync(join(import.meta.dirname, '../../docs/start.md'), 'utf8')
const swapScript = /```js file=(?<name>\S+)\n(?<code>[^`]*(?:`[^`]+`[^`]*)*?)```/.exec(
  guide,
)?.groups
if (!swapScript?.['name'] || !swapScript['code']) throw new Error('docs/start.md has no swap')
const { name: swapName, code: swapCode } = swapScript

async function measure({ npm, start, run, app }: Consumer, tarballs: readonly string[]) {
  rmSync(join(app, 'node_modules'), { recursive: true, force: true })
  rmSync(join(app, 'package-lock.json'), { force: true })
  const startedAt = performance.now()
  await npm('install', ...tarballs, packageVersion('viem'))
  const installedAt = performance.now()
  const lab = start(['npx', 'forkyard', 'lab'])
  let output = ''
  await new Promise<void>((resolve, reject) => {
    lab.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
      if (output.includes('first quote answered')) resolve()
    })
    lab.once('exit', () => reject(new Error(`the lab ended:\n${output}`)))
  })
  const answeredAt = performance.now()
  // Its ports are any that were free.
  const manifest = JSON.parse(readFileSync(join(app, '.lab/manifest.json'), 'utf8')) as LabManifest
  const ofThisLab = `readManifest('${manifest.services.ops}')`
  writeFileSync(join(app, swapName), swapCode.replace('readManifest()', ofThisLab))
  const { code, output: said } = await run(['node', swapName])
  if (code !== 0 || !/^\d+ raw USDC by 0x/.test(said)) throw new Error(`no swap:\n${said}`)
  const swappedAt = performance.now()
  const gone = once(lab, 'exit')
  process.kill(-(lab.pid ?? 0), 'SIGINT')
  await gone
  return [
    installedAt - startedAt,
    answeredAt - installedAt,
    swappedAt - answeredAt,
    swappedAt - startedAt,
  ].map(seconds)
}

const dir = mkdtempSync(join(tmpdir(), 'forkyard-packages-'))
const consumer = await openConsumer()
try {
  const tarballs = await packFromCopy(dir)
  const rows = [
    ['cold', ...(await measure(consumer, tarballs))],
    ['warm', ...(await measure(consumer, tarballs))],
  ]
  const print = (text: string) => void process.stdout.write(text)
  printTable(print, { head: ['caches', 'npm i', 'lab to first quote', 'swap', 'together'], rows })
  for (const path of tarballs) print(`${basename(path)}: ${statSync(path).size} bytes\n`)
} finally {
  consumer.remove()
  rmSync(dir, { recursive: true, force: true })
}
