import { createRpc } from '../../../../fixtures/anvil/rpc.ts'
import { startTrading } from '../../../../fixtures/chains/tradeWorld.ts'
import { type Postgres, query, startPostgres } from '../../../../fixtures/store/postgres.ts'
import { startSyncFleet } from '../../../../fixtures/sync/syncFleet.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { startWorldChain } from '../../../../fixtures/world.ts'

/** Gateways in processes of their own: the one that reads the chain for all may die or hang. */
const s = suite('who reads the chain when its reader is gone')
const postgres = await startPostgres()
if (postgres) await addTests(postgres)
else s('needs PostgreSQL, which is not installed', () => undefined)

async function addTests({ createDatabase, close }: Postgres) {
  const chain = await startWorldChain({ chainId: 8453 })
  const { tradeV2, tradeV3 } = await startTrading(chain)
  const rpc = createRpc(chain.rpcUrl)
  const database = await createDatabase()
  const setup = { database, dexes: ['uniswap-v2', 'uniswap-v3'], seeds: ['WETH', 'USDC'] }
  const { chainId, manifest, rpcUrl } = chain
  const fleet = await startSyncFleet({ ...setup, rpcUrl, chain: { chainId, manifest } }, 3)
  s.after(async () => {
    await fleet.close()
    await chain.close()
    await close()
  })

  /** In one block each, after which all that answer must know the same. */
  async function tradeAndAgree(what: string, size: number) {
    await tradeV2(10n ** 17n)
    await tradeV3(10n ** 17n)
    return fleet.agree(what, { size, block: Number(await rpc('eth_blockNumber')) })
  }
  async function readFeed() {
    const rows = await query(database, 'SELECT term, seq FROM feeds')
    const [{ term, seq }] = rows as [{ term: string; seq: string }]
    return { term: Number(term), seq: Number(seq) }
  }

  s('kill -9: another reads what was mined meanwhile, and says so', async () => {
    const { leader } = await tradeAndAgree('three', 3)
    process.kill(leader.pid, 'SIGKILL')
    const { leader: successor } = await tradeAndAgree('the two that are left', 2)
    assert.is.not(successor.pid, leader.pid)
    await fleet.start()
    await tradeAndAgree('three again', 3)
  })

  s('one that hangs is replaced, and awake again it overwrites nothing', async () => {
    const { leader } = await tradeAndAgree('three', 3)
    process.kill(leader.pid, 'SIGSTOP')
    try {
      const { leader: successor } = await tradeAndAgree('the two that answer', 2)
      assert.is.not(successor.pid, leader.pid)
    } finally {
      process.kill(leader.pid, 'SIGCONT')
    }
    const before = await readFeed()
    const { leader: still } = await tradeAndAgree('three, one of them awake again', 3)
    const after = await readFeed()
    assert.is.not(still.pid, leader.pid)
    assert.is(after.term, before.term)
    assert.ok(after.seq > before.seq)
  })
}
s.run()
