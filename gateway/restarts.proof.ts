import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareGateway } from '../fixtures/processes/gatewayProcess.ts'
import { byLength, reportFigures } from '../fixtures/proof.ts'
import { startPostgres } from '../fixtures/store/postgres.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startWorldChain } from '../fixtures/world.ts'
import {
  countAnswered,
  readBooked,
  startCallers,
  tellCounts,
} from './lab/containers/testing/countCallers.ts'
import { startDoor, toUpstream } from './lab/containers/testing/startDoor.ts'
import { createLabKeys } from './lab/keys.ts'

/**
 * Two gateways of one database behind the production stacks' own proxy: one after the other is told to stop and
 * started anew, while callers go on asking over connections that they keep, and over new ones. What each caller
 * was answered is counted, and held against what was booked.
 *
 * Usage: `node gateway/restarts.proof.ts [restarts]`.
 */
const restarts = Number(process.argv[2] ?? byLength({ short: 6, long: 100 }))
const pepper = 'a pepper of more than thirty-two characters'
const dir = mkdtempSync(join(tmpdir(), 'forkyard-restarts-'))
const s = suite('restarts under load')

const [base, arbitrum, postgres] = await Promise.all([
  startWorldChain({ chainId: 8453 }),
  startWorldChain({ chainId: 42161 }),
  startPostgres(),
])
const database = {
  databasePath: join(dir, 'forkyard.sqlite'),
  databaseUrl: await postgres?.createDatabase(),
}
const { apiKey } = await createLabKeys({ ...database, pepper })

const settings = {
  ...database,
  dir,
  pepper,
  baseRpcUrl: base.rpcUrl,
  arbitrumRpcUrl: arbitrum.rpcUrl,
}
const gateways = [await prepareGateway(settings), await prepareGateway(settings)] as const
for (const gateway of gateways) await gateway.start()
const door = await startDoor({
  gatewayPort: gateways[0].port,
  change: toUpstream(gateways.map(({ port }) => port)),
})
s.after(async () => {
  await door?.close()
  await Promise.all(gateways.map((gateway) => gateway.stop()))
  await Promise.all([base.close(), arbitrum.close(), postgres?.close()])
  rmSync(dir, { recursive: true })
})

const pairOf = ({ manifest }: typeof base) => ({
  token_in: manifest.tokens['WETH']?.address ?? '',
  token_out: manifest.tokens['USDC']?.address ?? '',
})
const quoteOf = (chain: typeof base, count: number) => ({
  chain_id: chain.chainId,
  ...pairOf(chain),
  amount_in: `${10 ** 15 + count}`,
})

s(
  `${restarts} stops in turn lose no POST, and no answer that was booked [24/restarts]`,
  async () => {
    if (!door || !postgres) return
    const callersDoor = { port: door.tls, apiKey }
    const bookedBefore = await readBooked(callersDoor)
    const calling = startCallers(callersDoor, {
      ofEachKind: 2,
      bodyOf: (count) => quoteOf(count % 2 === 0 ? base : arbitrum, count),
    })
    for (let restart = 0; restart < restarts; restart += 1) {
      const gateway = gateways[restart % gateways.length] as (typeof gateways)[0]
      assert.equal(await gateway.stop(), [0, null])
      await gateway.start()
    }
    const kinds = await calling.stop()
    const answered = countAnswered(kinds)
    const booked = (await readBooked(callersDoor)) - bookedBefore
    reportFigures('restarts under load', {
      restarts,
      ...Object.fromEntries(kinds.map(({ name, counts }) => [name, tellCounts(counts)])),
      'answered, and booked': `${answered}, ${booked}`,
    })
    for (const { name, counts } of kinds) {
      assert.ok((counts.get(200) ?? 0) > restarts, `${name}: ${tellCounts(counts)}`)
      assert.equal([...counts.keys()], [200], `${name}: ${tellCounts(counts)}`)
    }
    assert.is(booked, answered)
  },
)

s.run()
