import { numberToHex, parseTransaction } from 'viem'
import { send } from '../../fixtures/chains/send.ts'
import { startRelayScene } from '../../fixtures/relay/relayScene.ts'
import { revertChain } from '../../fixtures/relay/revertChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { ChainClient } from '../chain/client.ts'
import { createMemoryKey } from '../signing/digestKey.ts'

/** What becomes of a signed transaction: pending, stuck, dropped, reorged, overtaken, final. */
const life = suite('relay lifecycle')
const scene = await startRelayScene('life')
const {
  chain,
  chainId,
  rpc,
  relayer,
  setUp,
  newOwner,
  ask,
  newPath,
  count,
  receipt,
  only,
  mined,
  setBaseFee,
  withoutMining,
  dropSends,
} = scene

life(
  'the pending window is 120 s; then the same nonce is signed again for an eighth more [relay/window]',
  () =>
    withoutMining(async () => {
      const { stand, clock } = await setUp()
      const owner = await newOwner()
      const start = clock.ms
      const first = await ask(stand, owner)
      const nonces = await count('pending')
      clock.ms = start + 119_999
      assert.is((await ask(stand, owner)).body.txHash, first.body.txHash)
      clock.ms = start + 120_000
      const second = await ask(stand, owner)
      assert.is(second.status, 200)
      assert.is.not(second.body.txHash, first.body.txHash)
      assert.is(second.body.proxy, first.body.proxy)
      assert.is(await count('pending'), nonces)
      const { attempts, reservedWei } = await only(stand)
      const [old, renewed] = attempts.map(({ raw }) => parseTransaction(raw))
      assert.is(renewed?.nonce, old?.nonce)
      assert.ok((renewed?.maxFeePerGas ?? 0n) * 8n >= (old?.maxFeePerGas ?? 0n) * 9n)
      assert.ok(
        (renewed?.maxPriorityFeePerGas ?? 0n) * 8n >= (old?.maxPriorityFeePerGas ?? 0n) * 9n,
      )
      assert.is((await ask(stand, owner)).body.txHash, second.body.txHash)
      const { deploys, spendWei } = await stand.store.relay.totals({
        chainId,
        nowMs: clock.ms,
        windowMs: 3_600_000,
      })
      assert.equal([deploys, spendWei], [1, reservedWei])
      await rpc('evm_mine')
      assert.is((await receipt(second.body.txHash))?.status, '0x1')
      await stand.relay.reconcile()
      assert.equal(
        [(await only(stand)).status, (await only(stand)).minedHash],
        ['mined', second.body.txHash],
      )
    }),
)

life('the reconcile loop replaces what is stuck by itself, and only what holds up the rest', () =>
  withoutMining(async () => {
    const { stand, clock } = await setUp()
    await ask(stand, await newOwner())
    await ask(stand, await newOwner())
    clock.ms += 120_000
    await stand.relay.reconcile()
    const attempts = (await stand.relay.history({})).map((row) => row.attempts.length)
    assert.equal(attempts, [1, 2])
  }),
)

life('a replacement above the fee ceiling is not signed [relay/replacement-ceiling]', () =>
  withoutMining(async () => {
    const { stand, clock } = await setUp({ limits: { maxRelayFeeWei: 1_600_000_000_000n } })
    await setBaseFee(10_000_000n)
    const owner = await newOwner()
    assert.is((await ask(stand, owner)).status, 200)
    clock.ms += 120_000
    await stand.relay.reconcile()
    assert.is((await only(stand)).attempts.length, 1)
    assert.ok(stand.events.some(({ kind }) => kind === 'replacement_blocked'))
    const { status, body } = await ask(stand, owner)
    assert.equal([status, body.code], [503, 'fee_ceiling_exceeded'])
  }),
)

life('a transaction that the node has dropped is offered again, the same bytes', () =>
  withoutMining(async () => {
    const { stand, clock } = await setUp()
    const { body } = await ask(stand, await newOwner())
    await rpc('anvil_dropTransaction', body.txHash)
    assert.is(await rpc('eth_getTransactionByHash', body.txHash), null)
    clock.ms += 15_000
    await stand.relay.reconcile()
    await rpc('evm_mine')
    assert.is((await receipt(body.txHash))?.status, '0x1')
  }),
)

life('a pass that breaks off has settled the part of it that was read', async () => {
  let reads = 0
  const breakOff = (client: ChainClient): ChainClient => {
    const request = ((call: { readonly method: string }) => {
      if (call.method === 'eth_getTransactionReceipt') reads += 1
      return reads > 16
        ? Promise.reject(new Error('broke off'))
        : client.client.request(call as never)
    }) as never
    return { ...client, client: { ...client.client, request } }
  }
  const { stand } = await setUp({ wrapClient: breakOff })
  const owners = await Promise.all(Array.from({ length: 20 }, newOwner))
  const answers = await Promise.all(owners.map((owner) => ask(stand, owner)))
  for (const { body } of answers) await mined(body.txHash)
  await stand.relay.reconcile()
  const statuses = (await stand.relay.history({})).map(({ status }) => status)
  assert.equal(
    ['mined', 'pending'].map((each) => statuses.filter((status) => status === each).length),
    [16, 4],
  )
  assert.ok(stand.events.some(({ kind }) => kind === 'reconcile_failed'))
})

life('a reorg brings the same bytes back, and they are mined again', async () => {
  const { stand, clock } = await setUp()
  const snapshot = await rpc('evm_snapshot')
  const { body } = await ask(stand, await newOwner())
  await mined(body.txHash)
  await stand.relay.reconcile()
  assert.is((await only(stand)).status, 'mined')
  await revertChain(rpc, snapshot)
  clock.ms += 15_000
  await stand.relay.reconcile()
  assert.ok(stand.events.some(({ kind }) => kind === 'reorged'))
  await mined(body.txHash)
  await stand.relay.reconcile()
  const { status, attempts } = await only(stand)
  assert.equal([status, attempts.length], ['mined', 1])
})

life(
  'a transaction deep enough is final, and comes back if even its block is forgotten',
  async () => {
    const { stand, clock } = await setUp({ finalDepth: 3 })
    const snapshot = await rpc('evm_snapshot')
    const { body } = await ask(stand, await newOwner())
    await mined(body.txHash)
    await rpc('anvil_mine', '0x3')
    await stand.relay.reconcile()
    assert.is((await only(stand)).status, 'final')
    await revertChain(rpc, snapshot)
    clock.ms += 15_000
    await stand.relay.reconcile()
    await mined(body.txHash)
  },
)

life(
  "a foreign transaction at our nonce makes the row lost, and the owner's next request works [relay/foreign-nonce]",
  async () => {
    const { stand, clock } = await setUp({ wrapClient: dropSends })
    const owner = await newOwner()
    const { body } = await ask(stand, owner)
    const { privateKey } = chain.manifest.relayer
    await send({ rpcUrl: chain.rpcUrl, privateKey }, { to: relayer })
    await stand.relay.reconcile()
    assert.is((await only(stand)).status, 'pending')
    await rpc('anvil_mine', '0x3f')
    await stand.relay.reconcile()
    assert.is((await only(stand)).status, 'pending')
    await rpc('anvil_mine', '0x1')
    await stand.relay.reconcile()
    assert.is((await only(stand)).status, 'lost')
    assert.ok(stand.events.some(({ kind }) => kind === 'lost'))
    clock.ms += 1
    const next = await ask(stand, owner)
    assert.is(next.status, 200)
    assert.is.not(next.body.txHash, body.txHash)
  },
)

life('one answer of a node that lags behind makes no mined transaction lost', async () => {
  let isBlind = true
  const lag = (client: ChainClient): ChainClient => {
    const request = ((call: { readonly method: string }) =>
      isBlind && call.method === 'eth_getTransactionReceipt'
        ? Promise.resolve(null)
        : client.client.request(call as never)) as never
    return { ...client, client: { ...client.client, request } }
  }
  const { stand } = await setUp({ wrapClient: lag })
  const { body } = await ask(stand, await newOwner())
  await mined(body.txHash)
  await stand.relay.reconcile()
  isBlind = false
  await stand.relay.reconcile()
  assert.is((await only(stand)).status, 'mined')
  await rpc('anvil_mine', '0x9')
  isBlind = true
  await stand.relay.reconcile()
  assert.is((await only(stand)).status, 'pending')
  isBlind = false
  await stand.relay.reconcile()
  assert.is((await only(stand)).status, 'mined')
  assert.not(stand.events.some(({ kind }) => kind === 'lost'))
})

life("a new key follows the old one's transactions and takes none of their nonces", async () => {
  const path = newPath()
  const before = await setUp({ path, wrapClient: dropSends })
  const [owner, other] = [await newOwner(), await newOwner()]
  for (const each of [owner, other]) assert.is((await ask(before.stand, each)).status, 200)
  const rows = await before.stand.relay.history({})
  const oldNonces = rows.map(({ nonce }) => nonce).toReversed()
  await before.close()
  const [account] = chain.manifest.accounts
  if (!account) throw new Error('the world has no accounts')
  // Beyond the old one's: by its count all of them would be overtaken.
  const nonce = (oldNonces[0] as number) + 500
  await rpc('anvil_setNonce', account.address, numberToHex(nonce))
  const keyOf = () => createMemoryKey(account.privateKey)
  const { stand, clock } = await setUp({ path, keyOf, wrapClient: dropSends })
  await stand.relay.reconcile()
  await rpc('anvil_mine', '0x3')
  await stand.relay.reconcile()
  const statuses = async () => (await stand.relay.history({})).map(({ status }) => status)
  assert.equal(await statuses(), ['pending', 'pending'])
  clock.ms += 120_000
  // Nobody signs at a nonce that is another key's, nor for an owner whom that key may still serve.
  assert.is((await ask(stand, owner)).body.txHash, rows[1]?.attempts[0].hash)
  await stand.relay.reconcile()
  assert.equal(await statuses(), ['lost', 'lost'])
  assert.equal(
    stand.events.flatMap((event) => (event.kind === 'retired' ? [event.nonce] : [])),
    oldNonces,
  )
  const next = await ask(stand, owner)
  assert.is(next.status, 200)
  assert.is((await only(stand)).nonce, nonce)
})

life(
  'pause stops new signatures, keeps old answers, survives a restart, and ends with resume',
  async () => {
    const path = newPath()
    const first = await setUp({ path })
    await first.stand.relay.pause({ chainId, reason: 'key rotation' })
    await first.close()
    const { stand } = await setUp({ path })
    const owner = await newOwner()
    const refused = await ask(stand, owner)
    assert.equal([refused.status, refused.body.error], [503, 'relay is paused on this chain'])
    const [intent] = await stand.relay.status()
    assert.equal([intent?.servable, intent?.reason], [false, 'relay_paused'])
    await stand.relay.resume(chainId)
    assert.is((await ask(stand, owner)).status, 200)
  },
)

life('warns when the balance pays for few more deployments', async () => {
  const { stand } = await setUp()
  const balance = await rpc('eth_getBalance', relayer, 'latest')
  await rpc('anvil_setBalance', relayer, numberToHex(2n * 10n ** 15n))
  await stand.relay.reconcile()
  await rpc('anvil_setBalance', relayer, balance)
  const warning = stand.events.find(({ kind }) => kind === 'low_balance')
  assert.is(warning?.kind === 'low_balance' && warning.deploysLeft, 5)
})

life.after(scene.close)
life.run()
