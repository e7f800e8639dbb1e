import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, type Hex, numberToHex, parseAbi, parseTransaction } from 'viem'
import { readContract } from 'viem/actions'
import {
  lyingToken,
  ownerAt,
  prepareOwners,
  type RelayStand,
  startRelayStand,
} from '../../fixtures/relayStand.ts'
import { createRpc } from '../../fixtures/rpc.ts'
import { send, waitForReceipt } from '../../fixtures/send.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain, type WorldChain } from '../../fixtures/world.ts'
import type { ChainClient } from '../chain/client.ts'
import { encodeDeploy } from './signer.ts'

/** What the relay promises, each on a chain and a clock of its own. */
const promise = suite('relay promises')
const dir = mkdtempSync(join(tmpdir(), 'relay-'))
const closers: (() => Promise<void>)[] = []
let names = 0

/** One chain for all; every stand has its own database and starts from the chain's nonce. */
const chain: WorldChain = await startWorldChain({ chainId: 8453 })
const { chainId } = chain
const rpc = createRpc(chain.rpcUrl)
const relayer = chain.manifest.relayer.address

async function setUp(options: Partial<Parameters<typeof startRelayStand>[0]> = {}) {
  // anvil mines a moment after it has answered; another database must not start inside that moment.
  const deadline = Date.now() + 5_000
  while (Date.now() < deadline && (await count('latest')) < (await count('pending')));
  const clock = { ms: 1_900_000_000_000 }
  const stand = await startRelayStand({ chain, now: () => clock.ms, ...options })
  let open = true
  const close = async () => {
    if (open) await stand.close()
    open = false
  }
  closers.push(close)
  return { stand, clock, close }
}
async function newOwner(): Promise<Address> {
  const owner = ownerAt(names++, 'promises')
  await prepareOwners(chain, [owner])
  return owner
}
const ask = (stand: RelayStand, owner: Address) =>
  stand.post({ chainId, owner, tokenIn: lyingToken, amountIn: '1' })
const newPath = () => join(dir, `${names++}.sqlite`)
const count = async (tag: 'latest' | 'pending') =>
  Number(await rpc('eth_getTransactionCount', relayer, tag))
const receipt = (hash: Hex | undefined) =>
  rpc('eth_getTransactionReceipt', hash) as Promise<{ status: Hex } | null>
const only = async (stand: RelayStand) => {
  const [row] = await stand.relay.history({ limit: 1 })
  if (!row) throw new Error('no transaction was recorded')
  return row
}

const mined = (hash: Hex | undefined) => waitForReceipt({ rpcUrl: chain.rpcUrl, hash: hash as Hex })
async function setBaseFee(wei: bigint) {
  await rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(wei))
  await rpc('evm_mine')
}

/** Runs without automatic mining, on a chain that is as before afterwards. */
async function withoutMining(run: () => Promise<void>) {
  await rpc('evm_setAutomine', false)
  try {
    await run()
  } finally {
    await rpc('evm_setAutomine', true)
    await rpc('anvil_dropAllTransactions')
    await rpc('evm_mine')
  }
}
const dropSends = (client: ChainClient): ChainClient => ({
  ...client,
  client: {
    ...client.client,
    request: ((call: { method: string }) => {
      if (call.method === 'eth_sendRawTransaction') return Promise.reject(new Error('lost'))
      return client.client.request(call as never)
    }) as never,
  },
})

promise(
  'P2 P3: a hundred requests at once for one owner get one transaction and equal answers',
  () =>
    withoutMining(async () => {
      const { stand } = await setUp()
      const owner = await newOwner()
      const before = await count('pending')
      const answers = await Promise.all(Array.from({ length: 100 }, () => ask(stand, owner)))
      assert.is(await count('pending'), before + 1)
      for (const { status, body } of answers) assert.equal([status, body], [200, answers[0]?.body])
      assert.is((await stand.relay.history({})).length, 1)
    }),
)

promise('P3: with instant mining, too, a hundred requests send one transaction', async () => {
  const { stand } = await setUp()
  const owner = await newOwner()
  const before = await count('latest')
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask(stand, owner)))
  assert.is(await count('latest'), before + 1)
  assert.is(new Set(answers.map(({ body }) => body.proxy)).size, 1)
  assert.ok(answers.every(({ status }) => status === 200))
})

promise('P4 P6: bytes committed before a crash are sent after it, and nothing else', async () => {
  const path = newPath()
  const owner = await newOwner()
  const broken = await setUp({ path, wrapClient: dropSends })
  const before = await count('pending')
  const { status, body } = await ask(broken.stand, owner)
  assert.is(status, 200)
  const row = await only(broken.stand)
  assert.equal([row.attempts.length, row.attempts[0].hash], [1, body.txHash])
  assert.is(await count('pending'), before)
  await broken.close()

  const restarted = await setUp({ path })
  await restarted.stand.relay.reconcile()
  assert.is((await mined(body.txHash)).status, 'success')
  await restarted.stand.relay.reconcile()
  assert.is((await only(restarted.stand)).status, 'mined')
  assert.is(await count('latest'), before + 1)
  await restarted.stand.relay.reconcile()
  assert.is(await count('latest'), before + 1)
})

promise(
  'P5: the deploy cap is a sliding hour from reservation, across stands and restarts',
  async () => {
    const path = newPath()
    const limits = { maxDeploysPerHour: 2 }
    const one = await setUp({ path, limits })
    const start = one.clock.ms
    assert.is((await ask(one.stand, await newOwner())).status, 200)
    one.clock.ms = start + 600_000
    const two = await setUp({ path, limits })
    two.clock.ms = start + 600_000
    assert.is((await ask(two.stand, await newOwner())).status, 200)
    assert.is((await ask(one.stand, await newOwner())).status, 429)
    await one.close()
    await two.close()
    const three = await setUp({ path, limits })
    const third = await newOwner()
    for (const [afterMs, expected] of [
      [3_599_999, 429],
      [3_600_000, 200],
      [3_600_001, 200],
    ] as const) {
      three.clock.ms = start + afterMs
      assert.is((await ask(three.stand, third)).status, expected, `after ${afterMs} ms`)
    }
    assert.is((await ask(three.stand, await newOwner())).status, 429)
  },
)

promise(
  'P5: the spend budget counts worst cases, and a dearer receipt raises its row',
  async () => {
    const { stand, clock } = await setUp()
    await mined((await ask(stand, await newOwner())).body.txHash)
    const { id, reservedWei } = await only(stand)
    const totals = () => stand.store.relay.totals({ chainId, nowMs: clock.ms, windowMs: 3_600_000 })
    assert.is((await totals()).spendWei, reservedWei)
    await stand.relay.reconcile()
    const cheaper = await only(stand)
    assert.ok(
      (cheaper.actualWei ?? 0n) > 0n && (cheaper.actualWei ?? 0n) <= reservedWei,
      `${cheaper.status}: ${cheaper.actualWei} of ${reservedWei}`,
    )
    assert.is((await totals()).spendWei, reservedWei)
    await stand.store.relay.settle({
      id,
      from: 'mined',
      outcome: {
        status: 'mined',
        blockNumber: 1n,
        blockHash: '0x01',
        minedHash: cheaper.attempts[0].hash,
        actualWei: reservedWei + 5n,
      },
    })
    assert.is((await totals()).spendWei, reservedWei + 5n)
  },
)

promise('P5: what is signed never costs more than the fee ceiling, at any base fee', async () => {
  for (const gwei of [0.001, 0.3, 1, 2, 2.6]) {
    const { stand, close } = await setUp()
    await setBaseFee(BigInt(gwei * 1e9))
    const { status } = await ask(stand, await newOwner())
    if (status === 200) {
      const { attempts, reservedWei } = await only(stand)
      const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(attempts[0].raw)
      assert.ok(gas <= 200_000n && gas * maxFeePerGas <= reservedWei)
      assert.ok(reservedWei <= 200_000_000_000_000n, `${reservedWei} at ${gwei} gwei`)
    } else assert.is(status, 503)
    await close()
  }
  await setBaseFee(10_000_000n)
})

promise(
  "counts Base's L1 data fee into the ceiling and the spend, in wei of its own oracle",
  async () => {
    const { stand } = await setUp()
    assert.is((await ask(stand, await newOwner())).status, 200)
    const { attempts, reservedWei } = await only(stand)
    const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(attempts[0].raw)
    const l1FeeWei = reservedWei - gas * maxFeePerGas
    const oracleFeeWei = await readContract(stand.client.client, {
      address: '0x420000000000000000000000000000000000000F',
      abi: parseAbi(['function getL1Fee(bytes) view returns (uint256)']),
      functionName: 'getL1Fee',
      args: [attempts[0].raw],
    })
    assert.ok(l1FeeWei > 0n)
    // The oracle was asked about unsigned bytes of at most this size, before they were known.
    const ratio = Number((l1FeeWei * 100n) / oracleFeeWei)
    assert.ok(ratio > 70 && ratio < 130, `${l1FeeWei} for ${oracleFeeWei}`)
    const dear = await setUp({ limits: { maxRelayFeeWei: l1FeeWei } })
    assert.is((await ask(dear.stand, await newOwner())).body.code, 'fee_ceiling_exceeded')
  },
)

promise("P8: losing the race with the owner's own deployment does not revert", () =>
  withoutMining(async () => {
    const { stand } = await setUp()
    const owner = await newOwner()
    const { body } = await ask(stand, owner)
    const [stranger] = chain.manifest.accounts
    await rpc('evm_setAutomine', true)
    // Mines both; the stranger pays more and comes first.
    const own = await send(
      { rpcUrl: chain.rpcUrl, privateKey: stranger?.privateKey as Hex },
      { to: chain.manifest.proxyFactory, data: encodeDeploy(owner) },
    )
    const mine = await mined(body.txHash)
    assert.equal([own.status, mine.status], ['success', 'success'])
  }),
)

promise('P9: an answer does not wait for mining', () =>
  withoutMining(async () => {
    const { stand } = await setUp()
    const { status, body } = await ask(stand, await newOwner())
    assert.is(status, 200)
    assert.is(await receipt(body.txHash), null)
  }),
)

promise('P12: the key is in no answer and no event', async () => {
  const { stand } = await setUp()
  const answers = [
    await ask(stand, await newOwner()),
    await stand.get('/api/intents'),
    await stand.get('/health'),
    await stand.get('/openapi.json'),
  ]
  const text = JSON.stringify([answers, stand.events, await stand.relay.history({})], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  assert.not.match(text.toLowerCase(), chain.manifest.relayer.privateKey.slice(2).toLowerCase())
})

promise('P13: a clock that jumps back opens no cap and no second marker', async () => {
  const { stand, clock } = await setUp({ limits: { maxDeploysPerHour: 1 } })
  assert.is((await ask(stand, await newOwner())).status, 200)
  clock.ms -= 7_200_000
  assert.is((await ask(stand, await newOwner())).status, 429)
  clock.ms += 7_200_000 + 3_599_999
  assert.is((await ask(stand, await newOwner())).status, 429)
  clock.ms += 1
  assert.is((await ask(stand, await newOwner())).status, 200)
})

promise('the pending window is 120 s; then the same nonce is signed again for an eighth more', () =>
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
    assert.ok((renewed?.maxPriorityFeePerGas ?? 0n) * 8n >= (old?.maxPriorityFeePerGas ?? 0n) * 9n)
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

promise(
  'the reconcile loop replaces what is stuck by itself, and only what holds up the rest',
  () =>
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

promise('a replacement above the fee ceiling is not signed', () =>
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

promise('a transaction that the node has dropped is offered again, the same bytes', () =>
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

promise('a reorg brings the same bytes back, and they are mined again', async () => {
  const { stand, clock } = await setUp()
  const snapshot = await rpc('evm_snapshot')
  const { body } = await ask(stand, await newOwner())
  await mined(body.txHash)
  await stand.relay.reconcile()
  assert.is((await only(stand)).status, 'mined')
  await rpc('evm_revert', snapshot)
  clock.ms += 15_000
  await stand.relay.reconcile()
  assert.ok(stand.events.some(({ kind }) => kind === 'reorged'))
  await mined(body.txHash)
  await stand.relay.reconcile()
  const { status, attempts } = await only(stand)
  assert.equal([status, attempts.length], ['mined', 1])
})

promise(
  'a buried transaction is final, and comes back if even its block is forgotten',
  async () => {
    const { stand, clock } = await setUp({ finalDepth: 3 })
    const snapshot = await rpc('evm_snapshot')
    const { body } = await ask(stand, await newOwner())
    await rpc('anvil_mine', '0x3')
    await stand.relay.reconcile()
    assert.is((await only(stand)).status, 'final')
    await rpc('evm_revert', snapshot)
    clock.ms += 15_000
    await stand.relay.reconcile()
    await mined(body.txHash)
  },
)

promise(
  "a foreign transaction at our nonce makes the row lost, and the owner's next request works",
  async () => {
    const { stand, clock } = await setUp({ wrapClient: dropSends })
    const owner = await newOwner()
    const { body } = await ask(stand, owner)
    const { privateKey } = chain.manifest.relayer
    await send({ rpcUrl: chain.rpcUrl, privateKey }, { to: relayer })
    await stand.relay.reconcile()
    assert.is((await only(stand)).status, 'pending')
    await rpc('anvil_mine', '0x2')
    await stand.relay.reconcile()
    assert.is((await only(stand)).status, 'lost')
    assert.ok(stand.events.some(({ kind }) => kind === 'lost'))
    clock.ms += 1
    const next = await ask(stand, owner)
    assert.is(next.status, 200)
    assert.is.not(next.body.txHash, body.txHash)
  },
)

promise(
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

promise('warns when the balance pays for few more deployments', async () => {
  const { stand } = await setUp()
  const balance = await rpc('eth_getBalance', relayer, 'latest')
  await rpc('anvil_setBalance', relayer, numberToHex(2n * 10n ** 15n))
  await stand.relay.reconcile()
  await rpc('anvil_setBalance', relayer, balance)
  const warning = stand.events.find(({ kind }) => kind === 'low_balance')
  assert.is(warning?.kind === 'low_balance' && warning.deploysLeft, 5)
})

promise.after(async () => {
  for (const close of closers) await close()
  await chain.close()
  rmSync(dir, { recursive: true })
})
promise.run()
