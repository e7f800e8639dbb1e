import { byLength, reportFigures } from '../../fixtures/proof.ts'
import { startFleet } from '../../fixtures/relay/relayFleet.ts'
import { findBroadcaster, findRoles } from '../../fixtures/relay/relayRoles.ts'
import { startPostgres } from '../../fixtures/store/postgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'

/** How long a chain is without a broadcaster after kill -9 of the one it had. */
const kills = byLength({ short: 3, long: 10 })
const takeover = suite('takeover within five seconds')
const postgres = await startPostgres()

takeover(`another gateway leads within 5 s of each of ${kills} kill -9`, async () => {
  if (!postgres) throw new Error('PostgreSQL is not installed')
  const chain = await startWorldChain({ chainId: 8453 })
  const database = await postgres.createDatabase()
  const setup = { database, killWithinPoints: 0, seed: 0, limits: {}, naive: false }
  const fleet = startFleet(chain, setup, 2)
  const times: number[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    const { broadcaster } = await findRoles(fleet, database)
    process.kill(broadcaster.pid, 'SIGKILL')
    // Whoever it is: the one that was up, or the one that was started for the dead one and asked just then.
    const isTaken = async () => {
      const leader = await findBroadcaster(database)
      return leader !== undefined && leader !== broadcaster.pid
    }
    times.push(await waitFor('another leads', isTaken, { deadlineMs: 60_000 }))
  }
  await fleet.close()
  await chain.close()
  const sorted = times.toSorted((a, b) => a - b).map(Math.round)
  reportFigures('takeover of the office after kill -9', { kills, 'after, ms': sorted.join(' ') })
  assert.ok((sorted.at(-1) ?? 0) < 5_000)
})
takeover.after(async () => {
  await postgres?.close()
})
takeover.run()
