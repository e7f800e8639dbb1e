import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { openAt, type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createLog } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { createWarnings } from '../ops/readiness.ts'
import { backupCommand } from '../store/operatorLog.ts'
import { watchDatabase } from './watchDatabase.ts'

/** What operators are told of a real database's room. */
async function addTests({ name, close, createDatabase }: StoreEngine) {
  const s = suite(`parts/watchDatabase on ${name}`)
  const address = await createDatabase()
  const opened = await openAt(address)
  s.after(async () => {
    await opened.close()
    await close()
  })
  const databaseUrl = name === 'PostgreSQL' ? address : undefined

  async function watch(databaseDiskBytes?: number) {
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    const log = createLog({ level: 'warn', secrets: [], destination: { write } })
    const metrics = createMetrics()
    const config = { databasePath: address, databaseUrl, databaseDiskBytes }
    const deps = { store: opened, log, metrics }
    const { warnings, close: stop } = await watchDatabase(config, deps)
    const text = await metrics.registry.metrics()
    await stop()
    const read = (metric: string) => {
      const line = text.split('\n').find((one) => one.startsWith(`forkyard_${metric} `))
      return line && Number(line.split(' ')[1]?.replace('+Inf', 'Infinity'))
    }
    return {
      read,
      lines,
      warnings: createWarnings({ buckets: undefined, store: { warnings } }).warnings(),
    }
  }
  const bytes = (kind: string) => `database_bytes{kind="${kind}"}`

  s('shows its size, and the room of its disk where that is known [24/disk]', async () => {
    const size = await opened.readSize()
    assert.ok(size > 50_000)
    const { read, warnings } = await watch()
    assert.is(read(bytes('size')), size)
    if (name === 'SQLite') {
      const { bsize, blocks } = statfsSync(tmpdir())
      assert.is(read(bytes('disk')), bsize * blocks)
      assert.ok(Number(read(bytes('free'))) < bsize * blocks)
      return
    }
    assert.equal([read(bytes('disk')), read(bytes('free')), warnings], [undefined, undefined, []])
  })

  s('says at its start where nobody has told what a disk has [24/disk-unknown]', async () => {
    const unknown = name === 'PostgreSQL'
    const { lines } = await watch()
    assert.equal(
      lines.map((line) => (JSON.parse(line) as { setting: string }).setting),
      unknown ? ['DATABASE_DISK_GB'] : [],
    )
    assert.equal((await watch(1e12)).lines, [])
  })

  if (name === 'PostgreSQL')
    s(
      'warns where less than a twentieth is left of what it may take [24/disk-warning]',
      async () => {
        const size = await opened.readSize()
        const room = async (disk: number) => {
          const { read, warnings } = await watch(disk)
          return [read(bytes('disk')), read(bytes('free')), warnings]
        }
        const low = ["the database's disk is nearly full"]
        assert.equal(await room(2 * size), [2 * size, size, []])
        assert.equal(await room(size + 1_000), [size + 1_000, 1_000, low])
        assert.equal(await room(size - 1), [size - 1, 0, low])
      },
    )

  s(
    'shows since when there is no backup, and no restore that was tried [24/backup-age]',
    async () => {
      const ages = async () => {
        const { read } = await watch()
        return [read('backup_age_seconds'), read('restore_test_age_seconds')]
      }
      assert.equal(await ages(), [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
      const entry = { run: 'r', operator: 'o', command: backupCommand, subject: '', detail: '{}' }
      const noted = { ...entry, atMs: Date.now() }
      await opened.operatorLog.append({ ...noted, phase: 'failed' })
      assert.is((await ages())[0], Number.POSITIVE_INFINITY)
      await opened.operatorLog.append({ ...noted, phase: 'done' })
      const [backup, restore] = await ages()
      assert.ok(Number(backup) >= 0 && Number(backup) < 600, String(backup))
      assert.is(restore, Number.POSITIVE_INFINITY)
    },
  )

  s('shows what room the last backup has left [24/backup-disk]', async () => {
    const room = async () => {
      const { read } = await watch()
      return ['disk', 'free'].map((kind) => read(`backup_disk_bytes{kind="${kind}"}`))
    }
    // The one before it was made by a release that noted none.
    assert.equal(await room(), [undefined, undefined])
    const detail = JSON.stringify({ after: { disk: 9, free: 4 } })
    const row = { run: 'd', operator: 'o', command: backupCommand, subject: '', detail }
    await opened.operatorLog.append({ ...row, phase: 'done', atMs: Date.now() })
    assert.equal(await room(), [9, 4])
  })
  s.run()
}

for (const engine of await startStoreEngines()) await addTests(engine)
