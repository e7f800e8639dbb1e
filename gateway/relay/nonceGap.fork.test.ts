import { numberToHex } from 'viem'
import { send } from '../../fixtures/chains/send.ts'
import { startRelayScene } from '../../fixtures/relay/relayScene.ts'
import type { RelayStand } from '../../fixtures/relay/relayStand.ts'
import { revertChain } from '../../fixtures/relay/revertChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { getChain } from '../chain/chains.ts'
import { type ChainClient, createChainClient } from '../chain/client.ts'
import { createMemoryKey } from '../signing/digestKey.ts'

/** A nonce that nobody uses holds up everything signed after it: how that comes about, and how it ends. */
const gap = suite('relay nonce gap')
const scene = await startRelayScene('gap')
const { chain, chainId, rpc, relayer, setUp, newOwner, ask, newPath, mined, only, dropSends } =
  scene
const { privateKey } = chain.manifest.relayer
const base = getChain(chainId)
if (!base) throw new Error('there is no such chain')

const told = (stand: RelayStand, kind: string) =>
  stand.events.filter((event) => event.kind === kind).length
const useNonce = () => send({ rpcUrl: chain.rpcUrl, privateKey }, { to: relayer })
const count = () => scene.count('latest')
async function reconcileTwice(stand: RelayStand) {
  await stand.relay.reconcile()
  await stand.relay.reconcile()
}

/** A client whose node counts `by` too many transactions, for the first so many questions. */
const lie = (by: number, times = Number.POSITIVE_INFINITY) => {
  let left = times
  return (client: ChainClient): ChainClient => ({
    ...client,
    client: {
      ...client.client,
      request: (async (call: { method: string }) => {
        const answer = await client.client.request(call as never)
        if (call.method !== 'eth_getTransactionCount' || left <= 0) return answer
        left -= 1
        return numberToHex(Number(answer) + by)
      }) as never,
    },
  })
}

gap(
  'one count that is too high takes no nonce that the chain does not wait for [18/nonce-too-high]',
  async () => {
    const { stand } = await setUp({ wrapClient: lie(3, 1) })
    const before = await count()
    const { status, body } = await ask(stand, await newOwner())
    assert.is(status, 200)
    assert.is((await only(stand)).nonce, before)
    await mined(body.txHash)
  },
)

gap(
  'a node that goes on counting too many is not believed by a book that knows better',
  async () => {
    const path = newPath()
    const before = await setUp({ path })
    await mined((await ask(before.stand, await newOwner())).body.txHash)
    await before.close()
    const { stand } = await setUp({ path, wrapClient: lie(3) })
    const { status, body } = await ask(stand, await newOwner())
    assert.equal([status, body.code], [502, 'chain_unreachable'])
    assert.is(told(stand, 'nonce_unproven'), 1)
    assert.is((await stand.relay.history({})).length, 1)
  },
)

gap('a second node says what the first one is wrong about [18/nonce-witness]', async () => {
  const path = newPath()
  const first = await setUp({ path })
  await mined((await ask(first.stand, await newOwner())).body.txHash)
  await first.close()
  const before = await count()
  const witnesses = [1, 2].map(
    () => createChainClient({ chain: first.stand.client.chain, rpcUrls: [chain.rpcUrl] }).client,
  )
  const { stand } = await setUp({
    path,
    wrapClient: (client) => ({ ...lie(3)(client), witnesses }),
  })
  assert.is((await ask(stand, await newOwner())).status, 200)
  assert.is((await only(stand)).nonce, before)
})

gap(
  'nonces used elsewhere are believed when their receipt is found [18/nonce-receipt]',
  async () => {
    const { stand } = await setUp()
    await mined((await ask(stand, await newOwner())).body.txHash)
    await useNonce()
    await useNonce()
    const before = await count()
    const { body } = await ask(stand, await newOwner())
    assert.is((await only(stand)).nonce, before)
    await mined(body.txHash)
  },
)

gap(
  'a lost deployment is taken back when the transaction that took its nonce is gone [18/lost-again]',
  async () => {
    const { stand, clock } = await setUp({ wrapClient: dropSends })
    const snapshot = await rpc('evm_snapshot')
    const { body } = await ask(stand, await newOwner())
    await useNonce()
    await rpc('anvil_mine', '0x3')
    for (let pass = 0; pass < 4; pass += 1) {
      await stand.relay.reconcile()
      await rpc('anvil_mine', '0x20')
    }
    assert.is((await only(stand)).status, 'lost')
    await revertChain(rpc, snapshot)
    clock.ms += 15_000
    await stand.relay.reconcile()
    assert.is((await only(stand)).status, 'pending')
    await rpc('eth_sendRawTransaction', (await only(stand)).attempts[0].raw)
    await mined(body.txHash)
  },
)

gap(
  'an owner gets no second deployment while a reorg could bring the first one back [18/lost-deep]',
  async () => {
    const { stand, clock } = await setUp({ wrapClient: dropSends })
    const snapshot = await rpc('evm_snapshot')
    const owner = await newOwner()
    const { body } = await ask(stand, owner)
    await useNonce()
    await rpc('anvil_mine', '0x3')
    await reconcileTwice(stand)
    await rpc('anvil_mine', '0x3')
    await reconcileTwice(stand)
    assert.is((await ask(stand, owner)).body.txHash, body.txHash)
    clock.ms += 120_000
    assert.is((await ask(stand, owner)).body.txHash, body.txHash)
    // Signed for a nonce that is used, a replacement would be paid for by nobody's block.
    assert.is((await only(stand)).attempts.length, 1)
    await revertChain(rpc, snapshot)
    await stand.relay.reconcile()
    const { status, attempts } = await only(stand)
    assert.is(status, 'pending')
    await rpc('eth_sendRawTransaction', attempts[0].raw)
    await mined(attempts[0].hash)
    assert.is((await stand.relay.history({})).length, 1)
  },
)

/** A client whose first node has let go of all receipts. */
const prune =
  (witnesses?: ChainClient['witnesses']) =>
  (client: ChainClient): ChainClient => ({
    ...client,
    witnesses,
    client: {
      ...client.client,
      request: ((call: { method: string }) =>
        call.method === 'eth_getTransactionReceipt'
          ? Promise.resolve(null)
          : client.client.request(call as never)) as never,
    },
  })
/** A deployment that is mined, and passes until that is final. */
async function deployUnseen(stand: RelayStand) {
  await mined((await ask(stand, await newOwner())).body.txHash)
  for (let pass = 0; pass < 4; pass += 1) {
    await stand.relay.reconcile()
    await rpc('anvil_mine', '0x20')
  }
  return only(stand)
}

gap('a deployment that any node has seen mined is not lost [18/lost-witness]', async () => {
  const witness = createChainClient({ chain: base, rpcUrls: [chain.rpcUrl] }).client
  const { stand } = await setUp({ wrapClient: prune([witness, witness]) })
  const { status, minedHash, attempts } = await deployUnseen(stand)
  assert.equal([status, minedHash], ['final', attempts[0].hash])
  assert.equal([told(stand, 'lost'), told(stand, 'mined')], [0, 1])
})

gap(
  'a lone node without its receipt has no deployment lost that stands [18/unseen-chain]',
  async () => {
    const { stand } = await setUp({ wrapClient: prune() })
    const { status, actualWei } = await deployUnseen(stand)
    assert.equal([status, actualWei], ['final', undefined])
    assert.equal([told(stand, 'lost'), told(stand, 'mined_unseen')], [0, 1])
  },
)

gap('a key that is changed and changed back takes up what it has left [18/key-back]', async () => {
  const path = newPath()
  const before = await setUp({ path, wrapClient: dropSends })
  const { body } = await ask(before.stand, await newOwner())
  await before.close()
  const [account] = chain.manifest.accounts
  if (!account) throw new Error('the world has no accounts')
  const other = await setUp({ path, keyOf: () => createMemoryKey(account.privateKey) })
  other.clock.ms += 120_000
  await other.stand.relay.reconcile()
  assert.is((await only(other.stand)).status, 'lost')
  await other.close()
  const { stand, clock } = await setUp({ path })
  clock.ms += 240_000
  await reconcileTwice(stand)
  const { attempts } = await only(stand)
  assert.is(attempts[0].hash, body.txHash)
  await mined(attempts.at(-1)?.hash)
  await mined((await ask(stand, await newOwner())).body.txHash)
})

gap(
  'a missing nonce makes the chain unservable, is filled within caps, and all goes on [18/nonce-filled]',
  async () => {
    const { stand } = await setUp({ wrapClient: dropSends })
    await mined((await useNonce()).transactionHash)
    const snapshot = await rpc('evm_snapshot')
    await useNonce()
    const { body } = await ask(stand, await newOwner())
    const row = await only(stand)
    await revertChain(rpc, snapshot)
    const missing = await count()
    assert.is(row.nonce, missing + 1)
    const [intent] = await stand.relay.status()
    assert.equal([intent?.servable, intent?.reason], [false, 'nonce_gap'])
    const refused = await ask(stand, await newOwner())
    assert.equal([refused.status, refused.body.code], [503, 'nonce_gap'])
    await stand.relay.reconcile()
    assert.equal([told(stand, 'nonce_gap'), told(stand, 'nonce_filled')], [1, 0])
    await stand.relay.reconcile()
    assert.is(told(stand, 'nonce_filled'), 1)
    const [fill] = await stand.store.nonces.listFills({ chainId, signer: relayer, from: missing })
    assert.is(fill?.nonce, missing)
    // The stand's node loses what is sent to it; another takes it.
    await rpc('eth_sendRawTransaction', fill?.raw)
    await rpc('eth_sendRawTransaction', row.attempts[0].raw)
    await mined(body.txHash)
    assert.is((await stand.relay.status())[0]?.servable, true)
    const { spendWei } = await stand.store.relay.totals({ chainId, nowMs: 0, windowMs: 3_600_000 })
    assert.ok(spendWei > row.reservedWei, 'what fills cost counts as spent')
  },
)

gap('a fill above its limits is not signed [18/fill-caps]', async () => {
  const path = newPath()
  const first = await setUp({ path, wrapClient: dropSends })
  const snapshot = await rpc('evm_snapshot')
  await useNonce()
  assert.is((await ask(first.stand, await newOwner())).status, 200)
  const { reservedWei } = await only(first.stand)
  await first.close()
  await revertChain(rpc, snapshot)
  const { stand } = await setUp({ path, limits: { maxSpendPerHourWei: reservedWei } })
  await reconcileTwice(stand)
  assert.equal([told(stand, 'nonce_filled'), told(stand, 'fill_blocked')], [0, 1])
})
gap.after(scene.close)
gap.run()
