import { assert, suite } from '../fixtures/test.ts'
import { createBlockReads } from './blockReads.ts'
import { type RpcCall, type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'
import { refused, told } from './testing/answers.ts'
import type { BlockId, UpstreamPurpose } from './upstream.ts'

const s = suite('block reads')
const account = '0x00000000000000000000000000000000000000aa'
const block = { blockNumber: 16n, blockHash: `0x${'1'.repeat(64)}`, timestampSecs: 1n } as const
const answers: Readonly<Record<string, unknown>> = {
  eth_getAccountInfo: { balance: '0x5', nonce: '0x1', code: '0x6000' },
  eth_getBalance: '0x5',
  eth_getTransactionCount: '0x1',
  eth_getCode: '0x6000',
}
const read = (method: string): RpcCall => ({ method, params: [account, '0x10'] })
const parts = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map(read)
const whole = [read('eth_getAccountInfo')]

function startReads(told: Readonly<Record<string, unknown>> = answers) {
  let isDown = false
  const asked: string[] = []
  const reads = createBlockReads({
    upstream: {
      async send(calls) {
        if (isDown) throw new RpcTransportError('connection')
        asked.push(...calls.map(({ method }) => method))
        return calls.map(({ method }): RpcOutcome => ({ ok: true, result: told[method] }))
      },
    },
  })
  reads.open(block)
  const goDown = () => {
    isDown = true
  }
  const ask = async (calls: readonly RpcCall[]) =>
    (await reads.answer(calls, { isKept: true })).map((outcome) => outcome.ok && outcome.result)
  return { ask, asked, goDown }
}

s('knows the parts of an account that was read whole, and the whole from its parts', async () => {
  for (const [first, second] of [
    [whole, parts],
    [parts, whole],
  ] as const) {
    const { ask, asked, goDown } = startReads()
    await ask(first)
    goDown()
    assert.equal(
      await ask(second),
      second.map(({ method }) => answers[method]),
    )
    assert.is(asked.length, first.length)
  }
})
s('makes up no whole of parts of which one is missing', async () => {
  const { ask, asked } = startReads()
  await ask(parts.slice(1))
  await ask(whole)
  assert.equal(asked.at(-1), 'eth_getAccountInfo')
})
s('takes no part that is not hex', async () => {
  const { ask, asked } = startReads({ ...answers, eth_getAccountInfo: { balance: 5 } })
  await ask(whole)
  await ask(parts)
  assert.equal(
    asked,
    [...whole, ...parts].map(({ method }) => method),
  )
})

/** A chain that answers each call as `answer` says, and is asked batch by batch. */
function create(answer: (call: RpcCall) => RpcOutcome = () => told('0x1')) {
  const batches: (readonly RpcCall[])[] = []
  const purposes: (UpstreamPurpose | undefined)[] = []
  let gate: Promise<void> | undefined
  const reads = createBlockReads({
    upstream: {
      async send(calls, purpose) {
        batches.push(calls)
        purposes.push(purpose)
        await gate
        return calls.map(answer)
      },
    },
  })
  return {
    reads,
    batches,
    purposes,
    hold(until: Promise<void>) {
      gate = until
    },
    ask: (calls: readonly RpcCall[], isKept = true) => reads.answer(calls, { isKept }),
  }
}
const at = (blockNumber: bigint, blockHash: BlockId['blockHash'] = '0x01'): BlockId => ({
  blockNumber,
  blockHash,
  timestampSecs: 1n,
})
const slotOf = (tag: string, slot = '0x1'): RpcCall => ({
  method: 'eth_getStorageAt',
  params: [account, slot, tag],
})

s(
  'asks for each read of a block once, in one batch, whatever its letters [teeth/block-reads]',
  async () => {
    const { reads, ask, batches } = create(({ params }) => told(params[1]))
    reads.open(at(16n))
    const [one, two, three] = ['0xa', '0xb', '0xc'].map((slot) => slotOf('0x10', slot))
    if (!one || !two || !three) throw new Error('there are three')
    assert.equal(await ask([one, two]), [told('0xa'), told('0xb')])
    const upper = { ...one, params: [account.toUpperCase(), '0xA', '0x10'] }
    assert.equal(await ask([two, three, upper]), [told('0xb'), told('0xc'), told('0xa')])
    assert.equal(batches, [[one, two], [three]])
    await ask([])
    assert.is(batches.length, 2)
  },
)
s('asks once for all who want the same meanwhile [teeth/block-reads]', async () => {
  const { reads, ask, batches, hold } = create()
  reads.open(at(16n))
  const gate = Promise.withResolvers<void>()
  hold(gate.promise)
  const asked = [ask([slotOf('0x10')]), ask([slotOf('0x10')])]
  gate.resolve()
  await Promise.all(asked)
  assert.is(batches.length, 1)
})
s(
  'keeps what it knows of two blocks, as long as they are the same ones [teeth/block-reads]',
  async () => {
    const { reads, ask, batches } = create()
    const countAt = async (tag: string) => {
      await ask([slotOf(tag)])
      return batches.length
    }
    reads.open(at(1n))
    reads.open(at(2n))
    assert.equal([await countAt('0x1'), await countAt('0x2'), await countAt('0x1')], [1, 2, 2])
    // Opened again, it is the newest one.
    reads.open(at(1n))
    reads.open(at(3n))
    assert.equal([await countAt('0x1'), await countAt('0x2'), await countAt('0x2')], [2, 3, 4])
    reads.open(at(1n, '0x02'))
    assert.is(await countAt('0x1'), 5)
  },
)
s('passes on what is no read of such a block [teeth/block-reads]', async () => {
  const { reads, ask, batches } = create()
  reads.open(at(16n))
  for (const call of [
    slotOf('0x11'),
    { method: 'eth_call', params: [{}, '0x10'] },
    { method: 'eth_getBalance', params: [account, { blockHash: '0x1' }] },
    { method: 'eth_getBalance', params: [] },
  ])
    for (let n = 0; n < 2; n += 1) await ask([call])
  assert.is(batches.length, 8)
})
s('keeps nothing of what it is not to keep, and of no answer [teeth/block-reads]', async () => {
  const { reads, ask, batches } = create()
  reads.open(at(16n))
  for (let n = 0; n < 2; n += 1) await ask([slotOf('0x10')], false)
  assert.is(batches.length, 2)
  for (const answer of [refused('busy'), told(null)]) {
    const none = create(() => answer)
    none.reads.open(at(16n))
    for (let n = 0; n < 2; n += 1) assert.equal(await none.ask([slotOf('0x10')]), [answer])
    assert.is(none.batches.length, 2)
  }
  let isDown = true
  const down = create(() => {
    if (isDown) throw new RpcTransportError('connection')
    return told('0x1')
  })
  down.reads.open(at(16n))
  await down.ask([slotOf('0x10')]).catch(() => undefined)
  isDown = false
  assert.equal(await down.ask([slotOf('0x10')]), [told('0x1')])
})
s(
  'asks a chain no more for the form of an account that it does not have [teeth/block-reads]',
  async () => {
    const none = refused('no such method', -32601)
    const { reads, ask, batches } = create(({ method }) =>
      method === 'eth_getAccountInfo' ? none : told('0x1'),
    )
    reads.open(at(16n))
    assert.equal(await ask(whole), [none])
    const other = { ...read('eth_getAccountInfo'), params: ['0xbb', '0x99'] }
    assert.equal([await ask([other]), batches.length], [[none], 1])
    // That a node lacks something else, or fails, says nothing of it.
    const failing = create(({ method }) =>
      refused(method, method === 'eth_getCode' ? -32601 : -32000),
    )
    failing.reads.open(at(16n))
    for (const call of [...whole, ...parts, ...whole]) await failing.ask([call])
    assert.is(failing.batches.length, 5)
  },
)
s('says what it is asked for [teeth/block-reads]', async () => {
  const { reads, purposes } = create()
  reads.open(at(16n))
  await reads.answer([slotOf('0x10')], { isKept: true, purpose: 'warmUp' })
  await reads.answer([slotOf('0x10', '0x2')], { isKept: true })
  assert.equal(purposes, ['warmUp', undefined])
})
s('answers for the chain where it leaves one out [teeth/block-reads]', async () => {
  const reads = createBlockReads({ upstream: { send: async () => [] } })
  const [outcome] = await reads.answer([slotOf('0x10')], { isKept: false })
  assert.equal(outcome, refused('the chain does not answer'))
})
s.run()
