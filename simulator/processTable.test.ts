import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import { assert, suite } from '../fixtures/test.ts'
import { processTable, procTable, psTable } from './processTable.ts'
import { waitFor } from './testing/waitFor.ts'

// Both run here: what macOS has is a ps of the same columns.
const children: ChildProcess[] = []
async function start(env: Readonly<Record<string, string>>): Promise<number> {
  const child = spawn('sleep', ['60'], { env: { ...process.env, ...env } })
  children.push(child)
  await once(child, 'spawn')
  return child.pid ?? 0
}
const entry = `FORKYARD_TABLE_TEST=/a folder/${process.pid}`
const [name = '', value = ''] = entry.split('=')

/** By what a table tells of a start: ticks since boot, or a date. */
const ageSecsOf = (start: string) =>
  /^\d+$/.test(start)
    ? Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) - Number(start) / 100
    : (Date.now() - Date.parse(start)) / 1_000

for (const [label, table] of [
  ['/proc', procTable],
  ['ps', psTable],
] as const) {
  const s = suite(`process table of ${label}`)
  s.after.each(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })
  s('tells when a process started, the same whenever asked, and that it has ended', async () => {
    const pid = await start({})
    const [first, again] = [table.readStart(pid), table.readStart(pid)]
    assert.ok(first)
    assert.is(again, first)
    assert.ok(Math.abs(ageSecsOf(first)) < 60, first)
    const [child] = children
    child?.kill('SIGKILL')
    await once(child as ChildProcess, 'exit')
    assert.is(table.readStart(pid), undefined)
    assert.is(table.readStart(2 ** 30), undefined)
  })
  s('does not take a zombie for a process', async () => {
    // The shell's child ends and is waited for by nobody, since the shell has become a sleep.
    const shell = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'])
    children.push(shell)
    const [line] = (await once(shell.stdout, 'data')) as [Buffer]
    const pid = Number(String(line).trim())
    const deadline = performance.now() + 5_000
    while (table.readStart(pid) !== undefined && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10))
    assert.is(table.readStart(pid), undefined)
  })
  s('finds who was started with an entry, and nobody with a similar one', async () => {
    const pid = await start({ [name]: value })
    const others = [await start({ [name]: `${value}0` }), await start({ [`X_${name}`]: value })]
    assert.equal(table.findWithEntry(entry), [pid])
    assert.ok(others.every((other) => table.readStart(other)))
    assert.equal(table.findWithEntry('FORKYARD_TABLE_TEST=nowhere'), [])
    const all = table.findWithEntry(`PATH=${process.env['PATH']}`)
    assert.equal([all.includes(pid), all.includes(process.pid)], [true, false])
  })
  s('tells what of a process stands in memory, and of none that has ended', async () => {
    const own = table.readMemoryBytes(process.pid) ?? 0
    const told = process.memoryUsage.rss()
    assert.ok(own > told / 2 && own < told * 2, `${own}, Node says ${told}`)
    assert.is(table.readMemoryBytes(2 ** 30), undefined)
  })
  s('tells how the threads of a process share the processors, where anybody knows', () => {
    const before = table.readTurns(process.pid)
    if (!before) {
      assert.is(table, psTable)
      return
    }
    const untilMs = process.cpuUsage().user + 50_000
    while (process.cpuUsage().user < untilMs);
    const after = table.readTurns(process.pid)
    assert.ok(after && after.ranMs >= before.ranMs + 25, `${before.ranMs} to ${after?.ranMs}`)
    assert.ok(after.ranMs < before.ranMs + 60_000)
    assert.ok(after.waitedMs >= before.waitedMs)
    assert.is(table.readTurns(2 ** 30), undefined)
  })
  s('lists what a priority is given to', async () => {
    const pid = await start({})
    assert.equal(table.listThreads(pid), [pid])
  })
  s.run()
}

const s = suite('process table of this system')
s('is of its own kind where there is one', () => {
  assert.is(processTable, process.platform === 'linux' ? procTable : psTable)
})
s('says so where the system tells nothing, and takes nobody for gone then', () => {
  const path = process.env['PATH']
  process.env['PATH'] = '/no/such/folder'
  try {
    assert.throws(() => psTable.readStart(process.pid), /cannot run ps/)
  } finally {
    process.env['PATH'] = path
  }
  const scarce = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  const read = mock.method(fs, 'readFileSync', () => {
    throw scarce
  })
  syncBuiltinESMExports()
  try {
    assert.throws(() => procTable.readStart(process.pid), /too many open files/)
  } finally {
    read.mock.restore()
    syncBuiltinESMExports()
  }
})
if (process.platform === 'linux')
  s('has the figures of the system itself, in bytes and milliseconds', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' })
    await once(child, 'spawn')
    const { pid = 0 } = child
    const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')
    let before = ''
    await waitFor('it sleeps for good', () => {
      const isSame = before === read('schedstat')
      before = read('schedstat')
      return isSame && read('comm') === 'sleep\n'
    })
    const [ran, waited] = read('schedstat').split(' ').map(Number)
    assert.equal(procTable.readTurns(pid), {
      ranMs: (ran ?? 0) / 1e6,
      waitedMs: (waited ?? 0) / 1e6,
    })
    const [, kib] = /VmRSS:\s+(\d+) kB/.exec(read('status')) ?? []
    assert.is(procTable.readMemoryBytes(pid), Number(kib) * 1_024)
    child.kill('SIGKILL')
  })
s.run()
