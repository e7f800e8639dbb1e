import { type Postgres, query, startPostgres } from '../../../../fixtures/store/postgres.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { startSharedStand } from '../../testing/sharedStand.ts'

const s = suite('a chain read by one for all, when something breaks')
const postgres = await startPostgres()
if (postgres) await addTests(postgres)
else s('needs PostgreSQL, which is not installed', () => undefined)

async function addTests(postgresql: Postgres) {
  const stand = await startSharedStand(postgresql)
  const { agree, database, follower, isOneLeading, leader, members, trade, until } = stand
  s.after(async () => {
    await stand.close()
    await postgresql.close()
  })

  s('lag is told by what the leader last confirmed, and falls again', async () => {
    // The head of an idle chain is confirmed over and over.
    await until('little lag', () => follower().look().lagMs < 2_000)
    for (const { node } of members) node.break({ fault: 'http500', matches: () => true })
    await until('lag that grows', () => members.every((member) => member.look().lagMs > 3_000))
    for (const { node } of members) node.mend()
    await until('little lag again', () => members.every((member) => member.look().lagMs < 2_000))
    await trade()
    await agree('after the outage')
  })

  s('a leader that has lost its node hands over to one that has not', async () => {
    const first = leader()
    first.node.break({ fault: 'http500', matches: () => true })
    await until('another leads', () => isOneLeading() && leader() !== first)
    await trade()
    await agree('after the hand-over')
    first.node.mend()
  })

  s('a leader whose connection is cut steps down at once, and the feed goes on', async () => {
    const first = leader()
    const count = (wanted: string, of = members) =>
      of.flatMap(({ events }) => events.filter(({ event }) => event === wanted)).length
    const before = { terms: count('leading'), ends: count('following', [first]) }
    await query(
      database,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND datname = current_database()`,
    )
    await until('it has stepped down', () => count('following', [first]) > before.ends)
    await until('a new election', () => count('leading') > before.terms && isOneLeading())
    await trade()
    await agree('after the cut')
  })

  s('a feed that does not stand where its leader believes is written anew', async () => {
    await agree('before')
    await query(database, 'UPDATE feeds SET seq = seq + 7')
    await trade()
    await agree('after it was shifted')
    await query(database, 'DELETE FROM feed_changes')
    await trade()
    await agree('after changes were lost')
  })

  s('goes on when the database was killed and is back', async () => {
    const before = await agree('before')
    await postgresql.crash()
    await trade()
    assert.is.not(await agree('after the database was back'), before)
  })
}
s.run()
