import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../../../fixtures/backups/backupScene.ts'
import { findDebianProgram, passOver } from '../../../fixtures/debianPrograms.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createPostgresBackups } from './postgresSeries.ts'

/** Where there is no server; `backups.proof.ts` has one. */
const s = suite('store/backups/postgresSeries')

if (findDebianProgram('pg_receivewal'))
  s('leaves nothing of a backup that came to nothing [24/series-remains]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forkyard-series-'))
    const url = 'postgres://nobody@127.0.0.1:1/none'
    const backups = createPostgresBackups({ url, folder })
    assert.match(await failureOf(backups.make()), 'ECONNREFUSED')
    assert.equal(readdirSync(folder), [])
    await backups.close()
    rmSync(folder, { recursive: true })
  })
else s('needs PostgreSQL', () => passOver({ name: 'pg_receivewal', debianPackage: 'postgresql' }))
s.run()
