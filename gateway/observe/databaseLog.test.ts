import { assert, suite } from '../../fixtures/test.ts'
import { createDatabaseLog } from './databaseLog.ts'
import { createLog } from './log.ts'

const s = suite('observe/databaseLog')

s(
  'tells of lost connections once in ten seconds, by what the system says [24/database-log]',
  () => {
    const lines: { readonly reason: string; readonly times: number; readonly overMs?: number }[] =
      []
    const write = (line: string) => void lines.push(JSON.parse(line))
    let nowMs = 5_000
    const lost = createDatabaseLog(
      createLog({ level: 'warn', secrets: [], destination: { write } }),
      { now: () => nowMs },
    )
    const refused = Object.assign(new Error('at 10.0.0.1'), { code: 'ECONNREFUSED' })
    for (let count = 0; count < 160; count += 1) lost(refused)
    nowMs += 10_000
    lost(new Error('at 10.0.0.1'))
    assert.equal(
      lines.map(({ reason, times, overMs }) => [reason, times, overMs]),
      [
        ['ECONNREFUSED', 1, undefined],
        ['Error', 160, 10_000],
      ],
    )
    assert.not.match(JSON.stringify(lines), '10.0.0.1')
  },
)
s.run()
