import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  lyingToken,
  ownerAt,
  prepareOwners,
  type RelayStand,
  startRelayStand,
} from '../../fixtures/relayStand.ts'
import { createRpc } from '../../fixtures/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'

const caps = suite('relay caps')
const dir = mkdtempSync(join(tmpdir(), 'relay-caps-'))
const chain = await startWorldChain({ chainId: 42161 })
const { chainId } = chain
const rpc = createRpc(chain.rpcUrl)
const owners = Array.from({ length: 1_000 }, (_, index) => ownerAt(index, 'caps'))
await prepareOwners(chain, owners)
const ask = (stand: RelayStand, owner: string) =>
  stand.post({ chainId, owner, tokenIn: lyingToken, amountIn: '1' })
const sent = async () =>
  Number(await rpc('eth_getTransactionCount', chain.manifest.relayer.address, 'pending'))

caps('P5: a thousand owners at once get exactly sixty deployments', async () => {
  const stand = await startRelayStand({ chain, path: join(dir, 'deploys.sqlite') })
  const before = await sent()
  const answers = await Promise.all(owners.map((owner) => ask(stand, owner)))
  const count = (status: number) => answers.filter((answer) => answer.status === status).length
  assert.equal([count(200), count(429)], [60, 940])
  assert.is((await sent()) - before, 60)
  const [intent] = await stand.relay.status()
  assert.is(intent?.deploysThisHour, 60)
  assert.ok((intent?.spendThisHourWei ?? 0n) <= 20_000_000_000_000_000n)
  assert.equal([intent?.servable, intent?.reason], [false, 'deploy_cap_reached'])
  const nonces = (await stand.relay.history({ limit: 100 })).map(({ nonce }) => nonce)
  assert.equal(
    nonces.toReversed(),
    Array.from({ length: 60 }, (_, index) => before + index),
  )
  await stand.close()
})

caps('P5: two relays on one database together never exceed the spend budget', async () => {
  const path = join(dir, 'spend.sqlite')
  const probe = await startRelayStand({ chain, path: join(dir, 'probe.sqlite') })
  await ask(probe, owners.at(-1) ?? '')
  const [row] = await probe.relay.history({ limit: 1 })
  await probe.close()
  const limits = { maxSpendPerHourWei: (row?.reservedWei ?? 0n) * 10n + 1n }
  const stands = [
    await startRelayStand({ chain, path, limits }),
    await startRelayStand({ chain, path, limits }),
  ] as const
  await Promise.all(
    owners.slice(100, 200).map((owner, index) => ask(stands[index % 2 === 0 ? 0 : 1], owner)),
  )
  const [intent] = await stands[0].relay.status()
  assert.ok((intent?.spendThisHourWei ?? 0n) <= limits.maxSpendPerHourWei)
  assert.ok((intent?.deploysThisHour ?? 0) >= 8, `${intent?.deploysThisHour}`)
  for (const stand of stands) await stand.close()
})

caps('answers 503 and signs nothing while the database takes no writes', async () => {
  const stand = await startRelayStand({ chain, path: join(dir, 'full.sqlite') })
  const before = await sent()
  stand.store.db.pragma('query_only = ON')
  const refused = await ask(stand, owners[500] ?? '')
  assert.equal([refused.status, refused.body.code], [503, 'unavailable'])
  assert.ok(stand.events.some(({ kind }) => kind === 'store_failed'))
  assert.is(await sent(), before)
  stand.store.db.pragma('query_only = OFF')
  assert.is((await ask(stand, owners[500] ?? '')).status, 200)
  await stand.close()
})

caps.after(async () => {
  await chain.close()
  rmSync(dir, { recursive: true })
})
caps.run()
