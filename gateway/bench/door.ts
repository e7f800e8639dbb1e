import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { forkStranger } from '../../fixtures/forkStranger.ts'
import { startDoor } from '../lab/containers/testing/startDoor.ts'
import { printTable } from '../observe/printTable.ts'
import type { Honest } from './door/honest.ts'
import type { Counted, StrangerKind } from './door/strangers.ts'
import { percentile } from './routing/report.ts'

/**
 * The proxy's own configuration in an nginx of this machine, and strangers at it: slow headers from one and from 256
 * addresses, who come again ten seconds after they were cut off or one, 1,000 new connections a second, 100,000 idle ones. Beside each, honest callers of another address with a
 * new TLS connection for each request; their p99 against that of the quiet stretches
 * right before and after.
 *
 * Where a process may open fewer files than the image asks for, all bounds of connections are made smaller alike.
 * Needs nginx and its stream module. Usage: `npm run -s bench:door -- [seconds of each]`.
 */
const seconds = Number(process.argv[2] ?? 10)
const settleMs = 3_000
const perSecond = 50
const limits = readFileSync('/proc/self/limits', 'utf8')
const files = Number(/^Max open files +\d+ +(\d+)/m.exec(limits)?.[1])
/** What the image's nginx.conf has: three files of a connection in one worker at worst. */
const filesOfImage = 65_536
const share = Math.min(1, files / filesOfImage)

const gateway = createServer((_, res) => res.end('{}')).listen(0, '127.0.0.1')
await once(gateway, 'listening')
const door = await startDoor({
  gatewayPort: (gateway.address() as AddressInfo).port,
  change: (config) =>
    config
      .replace(/^worker_rlimit_nofile .*$/m, `worker_rlimit_nofile ${files};`)
      .replaceAll(
        /limit_conn (networks|sites|all) (\d+)/g,
        (_, zone, count) => `limit_conn ${zone} ${Math.floor(Number(count) * share)}`,
      ),
})
if (!door) process.exit(1)
const { plain, tls } = door

const fileOf = (name: string) => join(import.meta.dirname, 'door', name)
async function next<value>(child: ChildProcess): Promise<value> {
  const [message] = (await once(child, 'message')) as [value]
  return message
}

async function measureHonest(): Promise<Honest> {
  const child = fork(fileOf('honest.ts'), [tls, perSecond, seconds].map(String))
  const honest = await next<Honest>(child)
  child.disconnect()
  return honest
}

/** Ports: TLS where a greeting is sent, plain where a request is. */
type Strangers = {
  readonly kind: StrangerKind
  readonly addresses: number
  /** In all, or a second. */
  readonly connections: number
  /** Until who was cut off comes again. */
  readonly againMs?: number
}

/** As many processes as it takes for each to keep below what one may open. */
function startStrangers({
  kind,
  addresses,
  connections,
  againMs = 1_000,
}: Strangers): readonly ChildProcess[] {
  const processes = kind === 'brief' ? 1 : Math.ceil(connections / (files * 0.9))
  const each = {
    addresses: Math.ceil(addresses / processes),
    connections: Math.ceil(connections / processes),
  }
  return Array.from({ length: processes }, (_, index) =>
    forkStranger(
      fileOf('strangers.ts'),
      [
        kind,
        kind === 'brief' ? tls : plain,
        1 + index * each.addresses,
        each.addresses,
        each.connections,
        againMs,
      ].map(String),
    ),
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
  return { tried: sum('tried'), open: sum('open'), cut: sum('cut') }
}

const slow = { kind: 'slow', addresses: 256, connections: 256 * 64 } as const
const attacks: readonly (readonly [string, Strangers])[] = [
  ['slow headers, 1 address', { kind: 'slow', addresses: 1, connections: 1_000 }],
  ['slow headers, 256 addresses', { ...slow, againMs: 10_000 }],
  ['slow headers, 256 addresses, 1 s apart', slow],
  ['1,000 new connections/s, 256 addresses', { kind: 'brief', addresses: 256, connections: 1_000 }],
  ['100,000 idle, 256 addresses', { kind: 'idle', addresses: 256, connections: 100_000 }],
  ['100,000 idle, 2,048 addresses', { kind: 'idle', addresses: 2_048, connections: 100_000 }],
]

async function measureBeside(strangers: Strangers) {
  const children = startStrangers(strangers)
  // Until all have come for the first time.
  if (strangers.kind !== 'brief')
    while ((await count(children)).tried < strangers.connections) await wait(100)
  await wait(settleMs)
  const before = await count(children)
  const honest = await measureHonest()
  const after = await count(children)
  for (const child of children) child.disconnect()
  await Promise.all(children.map((child) => once(child, 'exit')))
  const open = Math.max(before.open, after.open)
  return { open, perSecond: (after.tried - before.tried) / seconds, honest }
}

const p50And99 = ({ durationsMs }: Honest) =>
  [0.5, 0.99].map((part) => percentile(durationsMs, part).toFixed(1)).join(' / ')

process.stdout.write(
  `${files} files a process: bounds of connections are ${share.toFixed(2)} of the image's\n`,
)
const rows: string[][] = []
let quiet = await measureHonest()
for (const [name, strangers] of attacks) {
  const { open, perSecond: came, honest } = await measureBeside(strangers)
  const quietBefore = quiet
  quiet = await measureHonest()
  const around = { durationsMs: [...quietBefore.durationsMs, ...quiet.durationsMs], failed: 0 }
  const ratio = percentile(honest.durationsMs, 0.99) / percentile(around.durationsMs, 0.99)
  const isAnswered = honest.durationsMs.length > 0
  rows.push([
    name,
    `${open}`,
    came.toFixed(0),
    `${honest.durationsMs.length}, ${honest.failed}`,
    isAnswered ? p50And99(honest) : '-',
    p50And99(around),
    isAnswered ? `${ratio.toFixed(2)}x` : '-',
  ])
}
const head = [
  'beside',
  'open',
  'came/s',
  'answered, failed',
  'p50 / p99, ms',
  'quiet before and after',
  'p99',
]
printTable((text) => process.stdout.write(text), { head, rows })
await door.close()
gateway.close()
