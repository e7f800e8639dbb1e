import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../../fixtures/test.ts'
import {
  baseIn,
  findBackup,
  listBackups,
  pruneBackups,
  sqliteName,
  toStamp,
} from './backupFolder.ts'

const s = suite('store/backups/backupFolder')
const folder = mkdtempSync(join(tmpdir(), 'forkyard-folder-'))
s.after(() => rmSync(folder, { recursive: true }))
const day = (n: number) => Date.UTC(2027, 0, n, 3)
const pathOf = (name: string) => join(folder, name)

for (const n of [1, 2, 3]) writeFileSync(pathOf(sqliteName(day(n))), '')
/** Its base is good from an hour after its beginning. */
function addSeries(n: number, { isWhole = true } = {}) {
  const series = pathOf(toStamp(day(n)))
  mkdirSync(series)
  if (isWhole) mkdirSync(baseIn(series, day(n) + 3_600_000))
}
addSeries(4)
addSeries(5, { isWhole: false })
addSeries(6)
writeFileSync(pathOf(`${sqliteName(day(2) + 1)}.partial`), '')
writeFileSync(pathOf('notes.txt'), '')

s('lists what is whole, the oldest first, by the moment from which it is good', () => {
  assert.equal(
    listBackups(folder).map(({ fromMs }) => fromMs),
    [day(1), day(2), day(3), day(4) + 3_600_000, day(6) + 3_600_000],
  )
})

s('finds the newest that knows of a moment [24/backup-folder]', () => {
  assert.is(findBackup(folder)?.path, pathOf(toStamp(day(6))))
  assert.is(findBackup(folder, day(3) + 1)?.path, pathOf(sqliteName(day(3))))
  // While that series was copied it could not be restored yet.
  assert.is(findBackup(folder, day(4) + 1)?.path, pathOf(sqliteName(day(3))))
  assert.is(findBackup(folder, day(4) + 3_600_000)?.path, pathOf(toStamp(day(4))))
  assert.is(findBackup(folder, day(1) - 1), undefined)
  // What a clock has named that was ahead is the newest only where there is no other.
  const newestOn = (nowMs: number) => findBackup(folder, undefined, nowMs)?.path
  assert.is(newestOn(day(3)), pathOf(sqliteName(day(3))))
  assert.is(newestOn(day(1) - 1), pathOf(toStamp(day(6))))
})

s('keeps what a moment of the last days needs, and nothing that is not its own goes', () => {
  pruneBackups(folder, { keepMs: 4 * 86_400_000, nowMs: day(7) })
  // The third was the last that knew of the moment four days ago.
  const left = [sqliteName(day(3)), toStamp(day(4)), toStamp(day(6)), 'notes.txt']
  assert.equal(readdirSync(folder).sort(), left.sort())
  addSeries(8, { isWhole: false })
  // Whatever the clock says, half of them stay; one that is being made stays as well.
  pruneBackups(folder, { keepMs: 1, nowMs: day(20) })
  const half = [toStamp(day(4)), toStamp(day(6)), toStamp(day(8)), 'notes.txt']
  assert.equal(readdirSync(folder).sort(), half.sort())
  pruneBackups(folder, { keepMs: 1, nowMs: day(20) })
  assert.equal(readdirSync(folder).sort(), [toStamp(day(6)), toStamp(day(8)), 'notes.txt'].sort())
})
s.run()
