import { type Hex, parseAbi, parseTransaction } from 'viem'
import { readContract } from 'viem/actions'
import { send } from '../../fixtures/chains/send.ts'
import { startRelayScene } from '../../fixtures/relay/relayScene.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createLog } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { reportRelay } from '../observe/reportRelay.ts'
import { encodeDeploy } from './signer.ts'

/** What the relay promises (P1, P7, P10 and P11 stand beside gates, signer, faults and hostile tokens). */
const promise = suite('relay promises')
const scene = await startRelayScene('promise')
const {
  chain,
  chainId,
  rpc,
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

promise(
  'P2 P3: a hundred requests at once for one owner get one transaction and equal answers [relay/one-of-a-hundred]',
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
  await mined(answers[0]?.body.txHash)
  assert.is(await count('latest'), before + 1)
  assert.is(new Set(answers.map(({ body }) => body.proxy)).size, 1)
  assert.ok(answers.every(({ status }) => status === 200))
})

promise(
  'P4 P6: bytes committed before a crash are sent after it, and nothing else [relay/committed-first]',
  async () => {
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
  },
)

promise(
  'P5: the deploy cap is a sliding hour from reservation, across stands and restarts [relay/sliding-hour]',
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
  'P5: of gateways with different caps on one database the lowest hold [18/relay-caps]',
  async () => {
    const path = newPath()
    const high = await setUp({ path, limits: { maxDeploysPerHour: 5 } })
    const low = await setUp({ path, limits: { maxDeploysPerHour: 1 } })
    await low.stand.relay.reconcile()
    assert.is((await ask(high.stand, await newOwner())).status, 200)
    assert.is((await ask(high.stand, await newOwner())).status, 429)
    const told = high.stand.events.find(({ kind }) => kind === 'limits_differ')
    assert.is(told?.kind === 'limits_differ' && told.maxDeploysPerHour, 1)
    assert.not(low.stand.events.some(({ kind }) => kind === 'limits_differ'))
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
  "counts Base's L1 data fee into the ceiling and the spend, in wei of its own oracle [relay/l1-fee-base]",
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

promise('P12: the key is in no answer, no event, no metric and no line of the log', async () => {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  // Nothing is redacted: what is not there cannot be missed by a filter.
  const log = createLog({ level: 'debug', secrets: [], destination: { write } })
  const metrics = createMetrics()
  const { stand } = await setUp({ wrapClient: dropSends })
  const answers = [
    await ask(stand, await newOwner()),
    await stand.get('/api/intents'),
    await stand.get('/health'),
    await stand.get('/openapi.json'),
  ]
  await stand.relay.reconcile()
  assert.ok(stand.events.some(({ kind }) => kind === 'broadcast_failed'))
  for (const event of stand.events) reportRelay({ log, metrics })(event)
  assert.ok(lines.length > 2)
  const history = await stand.relay.history({})
  const text = JSON.stringify([answers, stand.events, history], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  const all = [text, ...lines, await metrics.registry.metrics()].join('\n').toLowerCase()
  assert.not.match(all, chain.manifest.relayer.privateKey.slice(2).toLowerCase())
})

promise('P12: balance, spend and caps of the moment are told every half minute', async () => {
  const { stand, clock } = await setUp()
  const funds = () => stand.events.filter((event) => event.kind === 'funds')
  await stand.relay.reconcile()
  assert.is((await ask(stand, await newOwner())).status, 200)
  clock.ms += 29_999
  await stand.relay.reconcile()
  assert.is(funds().length, 1)
  clock.ms += 1
  await stand.relay.reconcile()
  const [before, after] = funds()
  const { reservedWei } = await only(stand)
  assert.equal([before?.deploysThisHour, before?.spendThisHourWei], [0, 0n])
  assert.equal([after?.deploysThisHour, after?.spendThisHourWei], [1, reservedWei])
  assert.ok((after?.balanceWei ?? 0n) > 0n && after?.limits.maxDeploysPerHour === 60)
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

promise(
  'P13: what is reserved under a clock set back counts once it is right again [relay/clock-back]',
  () =>
    withoutMining(async () => {
      const { stand, clock } = await setUp({ limits: { maxDeploysPerHour: 2 } })
      assert.is((await ask(stand, await newOwner())).status, 200)
      const owner = await newOwner()
      clock.ms -= 7_200_000
      const first = await ask(stand, owner)
      assert.is(first.status, 200)
      clock.ms += 7_200_000
      assert.is((await ask(stand, await newOwner())).status, 429)
      // Its marker is as young as it is: not past its window, to be signed again.
      assert.is((await ask(stand, owner)).body.txHash, first.body.txHash)
      clock.ms += 119_999
      assert.is((await ask(stand, owner)).body.txHash, first.body.txHash)
    }),
)

promise.after(scene.close)
promise.run()
