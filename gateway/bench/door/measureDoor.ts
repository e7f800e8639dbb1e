import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Door, startDoor } from '../../lab/containers/testing/startDoor.ts'
import { printTable } from '../../observe/printTable.ts'
import { percentile } from '../routing/report.ts'
import { forkHonest, forkStrangers, type Strangers } from './callers.ts'
import type { Honest } from './honest.ts'
import { doors, joinNetworks } from './networks.ts'
import type { Counted } from './strangers.ts'

/**
 * The proxy's own configuration and bounds in an nginx of this machine. At it strangers of one and of 256 networks:
 * slow headers, who come again ten seconds after they were cut off or one, 1,000 new connections a second, 100,000 idle
 * ones. Strangers have a processor of their own. Beside each, honest callers with a new TLS connection for each
 * request; their p99 against that of the quiet stretches right before and after.
 */
const [given = '10', ...parts] = process.argv.slice(2)
const seconds = Number(given)
const settleMs = 3_000
const perSecond = 50
const limits = readFileSync('/proc/self/limits', 'utf8')
const files = Number(/^Max open files +\d+ +(\d+)/m.exec(limits)?.[1])
/** The image's two, and more where a process may open too few files: three of a connection, in even shares. */
const workers = Math.max(2, Math.ceil((3 * 20_480) / (files * 0.8)))

process.on('disconnect', () => process.exit(1))
joinNetworks()
// Goes with its mounts, as nginx does with its processes.
process.env['TMPDIR'] = '/run'
const gateway = createServer((_, res) => res.end('{}')).listen(0, '127.0.0.1')
await once(gateway, 'listening')

async function next<value>(child: ChildProcess): Promise<value> {
  const [message] = (await once(child, 'message')) as [value]
  return message
}

async function measureHonest({ host, tls }: Door): Promise<Honest> {
  const child = forkHonest({ host, port: tls }, { perSecond, seconds })
  const honest = await next<Honest>(child)
  child.disconnect()
  return honest
}

/** As many processes as it takes for each to keep below what one may open. */
function startStrangers({ host, plain, tls }: Door, all: Strangers): readonly ChildProcess[] {
  const processes = all.kind === 'brief' ? 1 : Math.ceil(all.connections / (files * 0.9))
  const connections = Math.ceil(all.connections / processes)
  // TLS where a greeting is sent, plain where a request is.
  const port = all.kind === 'brief' ? tls : plain
  return Array.from({ length: processes }, (_, index) =>
    forkStrangers({ host, port }, { ...all, connections }, index * connections),
  )
}

async function count(strangers: readonly ChildProcess[]): Promise<Counted> {
  const counts = await Promise.all(
    strangers.map((child) => {
      const counted = next<Counted>(child)
      child.send('count')
      return counted
    }),
  )
  const sum = (key: keyof Counted) => counts.reduce((total, one) => total + one[key], 0)
  return { tried: sum('tried'), open: sum('open'), dripped: sum('dripped') }
}

// Half of them are let in at a time.
const slow = { kind: 'slow', addresses: 256, connections: 256 * 128, againMs: 10_000 } as const
const idle = { kind: 'idle', connections: 100_000 } as const
const fewSlow = { kind: 'slow', connections: 1_000 } as const
const brief = { kind: 'brief', addresses: 256, connections: 1_000 } as const
const attacks: Readonly<Record<keyof typeof doors, Readonly<Record<string, Strangers>>>> = {
  ipv4: {
    'slow headers, 1 address': { ...fewSlow, from: 'ipv4', addresses: 1 },
    'slow headers, 256 addresses': { ...slow, from: 'ipv4' },
    'slow headers, 256 addresses, 1 s apart': { ...slow, from: 'ipv4', againMs: 1_000 },
    '1,000 new connections/s, 256 addresses': { ...brief, from: 'ipv4' },
    '100,000 idle, 256 addresses': { ...idle, from: 'ipv4', addresses: 256 },
    '100,000 idle, 2,048 addresses': { ...idle, from: 'ipv4', addresses: 2_048 },
  },
  ipv6: {
    'slow headers, 1,000 addresses of a /64': { ...fewSlow, from: 'network', addresses: 1_000 },
    'slow headers, 256 /64s of a /48': { ...slow, from: 'networks' },
    'slow headers, 256 /48s': { ...slow, from: 'sites' },
    '100,000 idle, 65,536 /64s of a /48': { ...idle, from: 'networks', addresses: 65_536 },
  },
}

async function measureBeside(door: Door, strangers: Strangers) {
  const children = startStrangers(door, strangers)
  // Until all have come for the first time.
  if (strangers.kind !== 'brief')
    while ((await count(children)).tried < strangers.connections) await wait(100)
  await wait(settleMs)
  const before = await count(children)
  const honest = await measureHonest(door)
  const after = await count(children)
  for (const child of children) child.disconnect()
  await Promise.all(children.map((child) => once(child, 'exit')))
  // Until the door is rid of them.
  await wait(settleMs)
  const open = Math.max(before.open, after.open)
  const perSecond = (key: keyof Counted) => ((after[key] - before[key]) / seconds).toFixed(0)
  return { open, came: perSecond('tried'), dripped: perSecond('dripped'), honest }
}

const p50And99 = ({ durationsMs }: Honest) =>
  [0.5, 0.99].map((part) => percentile(durationsMs, part).toFixed(1)).join(' / ')

async function measureAll(family: keyof typeof doors): Promise<readonly (readonly string[])[]> {
  const door = await startDoor({
    gatewayPort: (gateway.address() as AddressInfo).port,
    host: doors[family],
    change: (config) =>
      config
        .replace(/^worker_processes .*$/m, `worker_processes ${workers};`)
        .replace(/^worker_rlimit_nofile .*$/m, `worker_rlimit_nofile ${files};`),
  })
  if (!door) process.exit(1)
  const rows: string[][] = []
  let quiet = await measureHonest(door)
  for (const [name, strangers] of Object.entries(attacks[family])) {
    if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue
    const { open, came, dripped, honest } = await measureBeside(door, strangers)
    const quietBefore = quiet
    quiet = await measureHonest(door)
    const around = { durationsMs: [...quietBefore.durationsMs, ...quiet.durationsMs], failed: 0 }
    const ratio = percentile(honest.durationsMs, 0.99) / percentile(around.durationsMs, 0.99)
    const isAnswered = honest.durationsMs.length > 0
    rows.push([
      name,
      `${open}`,
      came,
      dripped,
      `${honest.durationsMs.length}, ${honest.failed}`,
      isAnswered ? p50And99(honest) : '-',
      p50And99(around),
      isAnswered ? `${ratio.toFixed(2)}x` : '-',
    ])
  }
  const hadTooFewFiles = readFileSync(join(door.dir, 'error.log'), 'utf8').includes('(24:')
  await door.close()
  if (hadTooFewFiles) throw new Error('a worker of nginx had no more files to open')
  return rows
}

process.stdout.write(`${files} files a process: ${workers} workers of nginx\n`)
const rows = [...(await measureAll('ipv4')), ...(await measureAll('ipv6'))]
const head = [
  'beside',
  'open',
  'came/s',
  'bytes/s',
  'answered, failed',
  'p50 / p99, ms',
  'quiet before and after',
  'p99',
]
printTable((text) => process.stdout.write(text), { head, rows })
process.exit(0)
