import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import {
  lyingToken,
  ownerAt,
  prepareOwners,
  type RelayStand,
  startRelayStand,
} from '../../fixtures/relay/relayStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'

const caps = suite('relay caps')
const dir = mkdtempSync(join(tmpdir(), 'relay-caps-'))
const chain = await startWorldChain({ chainId: 42161 })
const { chainId } = chain
const rpc = createRpc(chain.rpcUrl)
const owners = Array.from({ length: 1_000 }, (_, index) => ownerAt(index, 'caps'))
await prepareOwners(chain, owners)
const stands: RelayStand[] = []
const open = async (name: string, limits?: Parameters<typeof startRelayStand>[0]['limits']) => {
  const stand = await startRelayStand({ chain, path: join(dir, name), limits })
  stands.push(stand)
  return stand
}
const ask = (stand: RelayStand, owner: string) =>
  stand.post({ chainId, owner, tokenIn: lyingToken, amountIn: '1' })
const sent = async () =>
  Number(await rpc('eth_getTransactionCount', chain.manifest.relayer.address, 'pending'))

caps(
  'P5: a thousand owners at once get exactly sixty deployments [relay/sixty-of-a-thousand]',
  async () => {
    const stand = await open('deploys.sqlite')
    const before = await sent()
    const answers = await Promise.all(owners.map((owner) => ask(stand, owner)))
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    assert.equal([count(200), count(429)], [60, 940])
    // Answers do not wait for a slow node: close lets what is being sent end.
    const [intent] = await stand.relay.status()
    await stand.relay.close()
    assert.is((await sent()) - before, 60)
    assert.is(intent?.deploysThisHour, 60)
    assert.ok((intent?.spendThisHourWei ?? 0n) <= 20_000_000_000_000_000n)
    assert.equal([intent?.servable, intent?.reason], [false, 'deploy_cap_reached'])
    const nonces = (await stand.relay.history({ limit: 100 })).map(({ nonce }) => nonce)
    assert.equal(
      nonces.toReversed(),
      Array.from({ length: 60 }, (_, index) => before + index),
    )
  },
)

caps(
  'P5: two relays on one database together never exceed the spend budget [relay/budget-of-two]',
  async () => {
    const probe = await open('probe.sqlite')
    await ask(probe, owners.at(-1) ?? '')
    const [row] = await probe.relay.history({ limit: 1 })
    const limits = { maxSpendPerHourWei: (row?.reservedWei ?? 0n) * 10n + 1n }
    const pair = [await open('spend.sqlite', limits), await open('spend.sqlite', limits)] as const
    await Promise.all(
      owners.slice(100, 200).map((owner, index) => ask(pair[index % 2 === 0 ? 0 : 1], owner)),
    )
    const [intent] = await pair[0].relay.status()
    assert.ok((intent?.spendThisHourWei ?? 0n) <= limits.maxSpendPerHourWei)
    assert.ok((intent?.deploysThisHour ?? 0) >= 8, `${intent?.deploysThisHour}`)
  },
)

caps('answers 503 and signs nothing while the database takes no writes', async () => {
  const stand = await open('full.sqlite')
  const before = await sent()
  stand.db.pragma('query_only = ON')
  const refused = await ask(stand, owners[500] ?? '')
  assert.equal([refused.status, refused.body.code], [503, 'unavailable'])
  assert.ok(stand.events.some(({ kind }) => kind === 'store_failed'))
  assert.is(await sent(), before)
  stand.db.pragma('query_only = OFF')
  assert.is((await ask(stand, owners[500] ?? '')).status, 200)
})

caps.after(async () => {
  for (const stand of stands) await stand.close()
  await chain.close()
  rmSync(dir, { recursive: true })
})
caps.run()
