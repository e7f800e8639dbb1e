import { isDeepStrictEqual } from 'node:util'
import { revertChain } from '../../../../fixtures/relay/revertChain.ts'
import { type Postgres, startPostgres } from '../../../../fixtures/store/postgres.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { startSharedStand } from '../../testing/sharedStand.ts'

const s = suite('one gateway reads the chain for all')
const postgres = await startPostgres()
if (postgres) await addTests(postgres)
else s('needs PostgreSQL, which is not installed', () => undefined)

async function addTests(postgresql: Postgres) {
  const stand = await startSharedStand(postgresql)
  const {
    agree,
    chain,
    countCalls,
    follower,
    isOneLeading,
    join,
    leader,
    leave,
    members,
    rpc,
    trade,
    tradeV2,
    until,
    usdc,
    weth,
    withRole,
  } = stand
  s.after(async () => {
    await stand.close()
    await postgresql.close()
  })

  s('exactly one of three is elected, and all hold the same pools', async () => {
    await until('one leads', isOneLeading)
    await agree('at the start')
    assert.is(withRole('follower').length, 2)
    assert.ok((leader().state()?.pools.size ?? 0) > 0)
  })

  s('what there is of each exchange is known to all [nodes/coverage-followed]', async () => {
    const told = ({ routing }: (typeof members)[number]) =>
      routing.status()[0]?.chain.sync.coverage()
    await until('the coverage', () =>
      members.every((member) => isDeepStrictEqual(told(member), told(leader()))),
    )
    const loaded = told(follower())?.reduce((sum, each) => sum + each.loaded, 0)
    assert.is(loaded, follower().state()?.pools.size)
  })

  s('what a block changes reaches all, and followers ask no node for it', async () => {
    const before = await agree('before')
    const followers = withRole('follower')
    for (let round = 0; round < 3; round += 1) await trade()
    assert.is.not(await agree('after six trades'), before)
    for (const member of followers) assert.equal(countCalls(member), {})
    const asked = { chainId: 8453, tokenIn: weth, tokenOut: usdc, slippageBps: 50 }
    for (const amountIn of [10n ** 15n, 10n ** 18n, 123_456_789_012_345_678_901n]) {
      const quotes = await Promise.all(
        members.map(({ routing }) => routing.quote({ ...asked, amountIn })),
      )
      const amounts = quotes.map((said) =>
        said.status === 'ok' ? [said.quote.amountOut, said.quote.lastSyncBlock] : said.status,
      )
      assert.equal(amounts[1], amounts[0])
      assert.equal(amounts[2], amounts[0])
      assert.ok(Array.isArray(amounts[0]))
    }
  })

  s('a reorg reaches all', async () => {
    const before = await agree('before')
    const snapshot = await rpc('evm_snapshot')
    await trade()
    assert.is.not(await agree('with the trades'), before)
    await revertChain(rpc, snapshot)
    await tradeV2(10n ** 16n)
    const after = await agree('without them')
    assert.ok(leader().events.some(({ event }) => event === 'reorged'))
    await agree(after)
  })

  s('pools of a token that a follower is first to be asked for reach all', async () => {
    const asked = follower()
    const token = chain.manifest.tokens['wstETH']?.address ?? weth
    const calls = countCalls(asked)
    assert.not.ok(asked.state()?.market.tokenIndex.has(token.toLowerCase()))
    const said = await asked.routing.quote({
      chainId: 8453,
      tokenIn: weth,
      tokenOut: token,
      amountIn: 10n ** 16n,
      slippageBps: 50,
    })
    assert.is(said.status, 'ok')
    await agree('with the token')
    for (const member of members)
      assert.ok(member.state()?.market.tokenIndex.has(token.toLowerCase()))
    const { eth_getLogs: logs, eth_getBlockByNumber: heads } = countCalls(asked)
    assert.equal([logs, heads], [calls['eth_getLogs'], calls['eth_getBlockByNumber']])
  })

  s('one that joins late has all of it, and one that leaves is succeeded', async () => {
    const late = await join()
    await agree('with a fourth')
    assert.is(late.look().role, 'follower')
    assert.equal(countCalls(late), {})
    const last = leader()
    await leave(last)
    await trade()
    await agree('after the leader left')
  })
}
s.run()
