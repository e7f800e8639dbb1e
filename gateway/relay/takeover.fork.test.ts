import type { Hex } from 'viem'
import { waitForReceipt } from '../../fixtures/chains/send.ts'
import { askUntilAnswered, startFleet, type Worker } from '../../fixtures/relay/relayFleet.ts'
import { findBroadcaster, findRoles } from '../../fixtures/relay/relayRoles.ts'
import { ownerAt, prepareOwners } from '../../fixtures/relay/relayStand.ts'
import { type Postgres, query, startPostgres } from '../../fixtures/store/postgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'

/** Two gateways in processes of their own, one database, one key: one of them sends, and both may die. */
const takeover = suite('relay on several gateways')
const postgres = await startPostgres()
if (postgres) await addTests(postgres)
else takeover('needs PostgreSQL, which is not installed', () => undefined)

async function addTests({ createDatabase, close }: Postgres) {
  const chain = await startWorldChain({ chainId: 8453 })
  const { chainId, rpcUrl } = chain
  const database = await createDatabase()
  const fleet = startFleet(
    chain,
    { database, killWithinPoints: 0, seed: 0, limits: {}, naive: false },
    2,
  )
  takeover.after(async () => {
    await fleet.close()
    await chain.close()
    await close()
  })
  let owners = 0

  const roles = () => findRoles(fleet, database)
  async function ask({ url }: Worker): Promise<Hex> {
    owners += 1
    const owner = ownerAt(owners, 'takeover')
    await prepareOwners(chain, [owner])
    const said = await askUntilAnswered(() => url, chainId, owner)
    if (typeof said === 'number') throw new Error(`answered ${said}`)
    return said.txHash
  }
  const isMined = async (hash: Hex) =>
    assert.is((await waitForReceipt({ rpcUrl, hash })).status, 'success')

  takeover('what one gateway signs, the elected one sends', async () => {
    const { broadcaster, other } = await roles()
    await isMined(await ask(other))
    await isMined(await ask(broadcaster))
    await isMined(await ask(other))
    assert.is(await findBroadcaster(database), broadcaster.pid)
  })

  takeover('kill -9 of the broadcaster: another sends what it left and what comes', async () => {
    const { broadcaster, other } = await roles()
    process.kill(broadcaster.pid, 'SIGKILL')
    await isMined(await ask(other))
    const { broadcaster: successor } = await roles()
    assert.is.not(successor.pid, broadcaster.pid)
  })

  takeover(
    'a broadcaster that hangs loses its leadership, and takes it back no more than in turn',
    async () => {
      const { broadcaster, other } = await roles()
      process.kill(broadcaster.pid, 'SIGSTOP')
      try {
        await isMined(await ask(other))
        assert.is(await findBroadcaster(database), other.pid)
      } finally {
        process.kill(broadcaster.pid, 'SIGCONT')
      }
      // Awake, it is a gateway like any other: it signs, and leaves the sending to the elected one.
      await isMined(await ask(broadcaster))
      assert.is(await findBroadcaster(database), other.pid)
    },
  )

  takeover('one owner at both gateways at once: one transaction', async () => {
    const { broadcaster, other } = await roles()
    const owner = ownerAt(0, 'takeover')
    await prepareOwners(chain, [owner])
    const answers = await Promise.all(
      [broadcaster, other, broadcaster, other].map(({ url }) =>
        askUntilAnswered(() => url, chainId, owner),
      ),
    )
    const hashes = answers.flatMap((said) => (typeof said === 'number' ? [] : [said.txHash]))
    assert.is(new Set(hashes).size, 1)
    const rows = await query(database, 'SELECT nonce, owner FROM relay_transactions ORDER BY nonce')
    const nonces = (rows as { nonce: string }[]).map(({ nonce }) => Number(nonce))
    assert.equal(
      nonces,
      nonces.map((_, index) => (nonces[0] ?? 0) + index),
    )
  })
}
takeover.run()
