import { type Hex, numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { createEndpoint } from './endpoint.ts'
import type { Reply, RpcAnswer, RpcCall } from './readReply.ts'
import type { Upstream } from './upstream.ts'

const s = suite('an endpoint')
const call = { method: 'eth_blockNumber', params: [] }
const lost: Reply = { answers: [undefined], trouble: { kind: 'timeout' } }

/** A clock on which hardly any time passes, and some at each look. */
function createSteps() {
  let nowMs = 1_000
  return () => {
    nowMs += 0.01
    return nowMs
  }
}
/** An endpoint whose node is `send`. */
function open(send: Upstream['send'], now = createSteps()) {
  const endpoint = createEndpoint({
    url: 'http://127.0.0.1:1',
    timeoutMs: 1,
    maxResponseBytes: 1,
    random: () => 1,
    now,
    alterSend: () => send,
  })
  return { ...endpoint, [Symbol.dispose]: endpoint.close }
}

s(
  'rests no longer for many calls that fail together than for one [nodes/one-failure]',
  async () => {
    const under: ((reply: Reply) => void)[] = []
    using endpoint = open(() => new Promise((resolve) => under.push(resolve)))
    async function fail(calls: number): Promise<number> {
      const sent = Array.from({ length: calls }, () => endpoint.send([call]))
      for (const answer of under.splice(0)) answer(lost)
      await Promise.all(sent)
      return endpoint.waitMs()
    }
    const alone = await fail(1)
    assert.ok(alone > 0)
    const together = await fail(20)
    assert.ok(together > alone && together <= 2 * 100, `${together} ms`)
    // One after the other each counts.
    for (let left = 6; left > 0; left -= 1) await fail(1)
    assert.ok(endpoint.waitMs() > 5_000, `${endpoint.waitMs()} ms`)
  },
)

s(
  'rests longer and longer for a node that never answers, though calls overlap [attack/overlapping-failures]',
  async () => {
    const under: ((reply: Reply) => void)[] = []
    using endpoint = open(() => new Promise((resolve) => under.push(resolve)))
    const sent = [endpoint.send([call])]
    for (let failures = 0; failures < 16; failures += 1) {
      // Each is under way when the one before it fails.
      sent.push(endpoint.send([call]))
      under.shift()?.(lost)
      await sent.shift()
    }
    assert.ok(endpoint.waitMs() > 5_000, `${endpoint.waitMs()} ms`)
    under.shift()?.(lost)
    await sent.shift()
  },
)

s(
  'does not rest for what is late, where later questions are answered [nodes/late-one]',
  async () => {
    const under: ((reply: Reply) => void)[] = []
    let nowMs = 0
    const later = () => {
      nowMs += 1
      return nowMs
    }
    using endpoint = open(() => new Promise((resolve) => under.push(resolve)), later)
    const slow = endpoint.send([call])
    const quick = endpoint.send([call])
    under[1]?.({ answers: [{ result: '0x1' }], trouble: { kind: 'bad_answer' } })
    await quick
    under[0]?.(lost)
    await slow
    assert.ok(endpoint.waitMs() <= 0)
  },
)

s('does not rest, nor is asked for less, for what it was never sent [nodes/unsent]', async () => {
  const unsent: Reply = { answers: [undefined], trouble: { kind: 'unsent' } }
  using endpoint = open(async () => unsent)
  const most = endpoint.limits.batchCalls()
  await endpoint.send([call])
  assert.equal([endpoint.waitMs(), endpoint.limits.batchCalls()], [0, most])
})

s('is asked every two seconds while nobody is there [nodes/away]', async () => {
  const away: Reply = { answers: [undefined], trouble: { kind: 'network' } }
  using endpoint = open(async () => away)
  for (let failures = 0; failures < 16; failures += 1) await endpoint.send([call])
  assert.ok(endpoint.waitMs() > 1_000 && endpoint.waitMs() <= 2_000, `${endpoint.waitMs()} ms`)
})

s('does not rest for what a stranger may have made too long [17/slow-no-rest]', async () => {
  using endpoint = open(async (calls) => ({ ...lost, answers: calls.map(() => undefined) }))
  const dryRun = { method: 'eth_simulateV1', params: [] }
  const others = ['eth_estimateGas', 'eth_getTransactionReceipt'].map((method) => ({
    method,
    params: [],
  }))
  for (const heavy of [dryRun, ...others, logsOf(30_000)]) {
    await endpoint.send([heavy])
    assert.is(endpoint.waitMs(), 0)
  }
  await endpoint.send([dryRun, call])
  assert.ok(endpoint.waitMs() > 0)
})
const run = { method: 'eth_simulateV1', params: [] }
for (const kind of [
  'unauthorized',
  'quota_gone',
  'rate_limited',
  'http_status',
  'bad_answer',
  'timeout',
  'network',
] as const)
  s(
    `does not rest, nor learn, where what is for the first alone fails by ${kind} [relay/node-apart]`,
    async () => {
      const trouble = { kind, retryAfterMs: 30_000 }
      let nowMs = 0
      let isUp = true
      using endpoint = open(
        async ([asked]) => ({
          answers: [isUp && asked !== run ? { result: '0x1' } : undefined],
          trouble,
        }),
        () => nowMs,
      )
      const fresh = endpoint.limits.read()
      for (let time = 0; time < 4; time += 1) {
        nowMs += 20_000
        await endpoint.send([call])
        await endpoint.send([run], { isOfFirst: true })
        assert.is(endpoint.waitMs(), 0)
      }
      assert.equal([endpoint.limits.read(), endpoint.limits.batchCalls()], [fresh, 64])
      // Nor is one that is down asked any sooner.
      isUp = false
      await endpoint.send([call])
      const restMs = endpoint.waitMs()
      nowMs += 1
      await endpoint.send([run], { isOfFirst: true })
      assert.is(endpoint.waitMs(), restMs - 1)
    },
  )
for (const message of [
  'too many calls in batch',
  'gas limit is too high',
  'request too large',
  'limit exceeded',
  'method not found',
])
  s(`learns nothing where it says of that "${message}" [relay/node-apart]`, async () => {
    const refusal = { error: { code: -32000, message } }
    using endpoint = open(async () => ({ answers: [refusal], trouble: { kind: 'failed' } }))
    const fresh = endpoint.limits.read()
    for (let time = 0; time < 3; time += 1) await endpoint.send([run], { isOfFirst: true })
    assert.equal([endpoint.limits.read(), endpoint.waitMs()], [fresh, 0])
  })
s('rests for reads that hang, though that is answered [relay/node-apart]', async () => {
  using endpoint = open(async ([asked]) =>
    asked === run ? { answers: [{ result: [] }], trouble: { kind: 'failed' } } : lost,
  )
  const reading = endpoint.send([call])
  await endpoint.send([run], { isOfFirst: true })
  await reading
  const restMs = endpoint.waitMs()
  assert.ok(restMs > 0)
  await endpoint.send([run], { isOfFirst: true })
  assert.ok(endpoint.waitMs() > 0)
})
const wrongForm = { code: -32602, message: 'invalid argument 1: cannot unmarshal object' }
const revert = { code: 3, message: 'execution reverted' }
const pinned = {
  method: 'eth_call',
  params: [{ data: '0x' }, '0x1'],
  blockHash: numberToHex(1, { size: 32 }),
}

/** A node whose block 1 has this hash; null where it does not tell of it. */
function openPinned(
  answerCall: (call: RpcCall) => RpcAnswer | undefined,
  hash: Hex | null = pinned.blockHash,
) {
  const sent: string[] = []
  const block =
    hash === null
      ? undefined
      : { result: { number: '0x1', hash, parentHash: pinned.blockHash, timestamp: '0x1' } }
  const nameOf = ({ method, blockHash }: RpcCall) => {
    if (method === 'eth_getBlockByNumber') return 'look'
    return blockHash ? 'hash' : 'number'
  }
  const endpoint = open(async (calls) => {
    sent.push(calls.map(nameOf).join())
    const answers = calls.map((one) => (nameOf(one) === 'look' ? block : answerCall(one)))
    return { answers, trouble: { kind: 'failed' } }
  })
  return { ...endpoint, sent }
}

s(
  'asks one that takes no hash of a block by its number, and remembers it [nodes/block-hash-learned]',
  async () => {
    using endpoint = openPinned(({ blockHash }) =>
      blockHash ? { error: wrongForm } : { result: '0x1' },
    )
    for (let count = 0; count < 3; count += 1)
      assert.equal((await endpoint.send([call, pinned])).answers, [
        { result: '0x1' },
        { result: '0x1' },
      ])
    const asked = ['number,hash', 'number', 'look']
    assert.equal(endpoint.sent, [...asked, ...asked, 'number,number'])
    assert.is(endpoint.limits.read().namesByNumber, 1)
  },
)

for (const [what, hash, expected] of [
  [
    'has another block in its place',
    numberToHex(2, { size: 32 }),
    { error: { code: -32001, message: 'block not found' } },
  ],
  ['does not say which block has its number', null, undefined],
] as const)
  s(`reads no other block of one that ${what} [nodes/block-hash-words]`, async () => {
    const oops = { error: { code: -32000, message: 'oops' } }
    using endpoint = openPinned(({ blockHash }) => (blockHash ? oops : { result: '0x2f' }), hash)
    for (let count = 0; count < 3; count += 1)
      assert.equal((await endpoint.send([pinned])).answers, [expected])
    assert.is(endpoint.sent.filter((names) => names === 'hash').length, 3)
    assert.is(endpoint.limits.read().namesByNumber, undefined)
  })

s('asks again where the second question was not answered [nodes/block-hash-words]', async () => {
  using endpoint = openPinned(({ blockHash }) => (blockHash ? { error: wrongForm } : undefined))
  const { answers, trouble } = await endpoint.send([pinned])
  assert.equal(answers, [undefined])
  assert.is(trouble.kind, 'failed')
})

for (const [what, byHash, byNumber, requests] of [
  ['fails twice', wrongForm, wrongForm, 2],
  ['failed once in words of nobody', { code: -32000, message: 'oops' }, undefined, 3],
  ['says what the contract said', revert, undefined, 1],
] as const)
  s(`goes on naming hashes to one that ${what} [nodes/block-hash-learned]`, async () => {
    let isWell = false
    using endpoint = openPinned(({ blockHash }) => {
      const error = blockHash ? byHash : byNumber
      return isWell || !error ? { result: '0x' } : { error }
    })
    for (let round = 0; round < 3; round += 1) {
      isWell = false
      await endpoint.send([pinned])
      assert.is(endpoint.sent.splice(0).length, requests)
      isWell = true
      await endpoint.send([pinned])
      endpoint.sent.splice(0)
    }
    assert.is(endpoint.limits.read().namesByNumber, undefined)
  })

s(
  'makes no batch smaller for what one question for logs is refused for [nodes/one-question]',
  async () => {
    const error = { code: -32005, message: 'query returned more than 10000 results' }
    using endpoint = open(async (calls) => ({
      answers: calls.map((_, index) => (index === 0 ? { error } : { result: [] })),
      trouble: { kind: 'bad_answer' },
    }))
    await endpoint.send(Array.from({ length: 8 }, () => logsOf(16)))
    assert.is(endpoint.limits.batchCalls('logs'), 8)
    assert.is(endpoint.limits.batchCalls(), 64)
  },
)

const noBackend = { code: -32011, message: 'no backend is currently healthy to serve traffic' }
const logsOf = (blocks: number) => ({
  method: 'eth_getLogs',
  params: [{ fromBlock: '0x1', toBlock: `0x${blocks.toString(16)}` }],
})
for (const [what, sent, isUp, kind, logBlocks] of [
  ['a wide range, and tells its head', [logsOf(30_000)], true, -32602, 15_000],
  ['a wide range, and does not tell its head', [logsOf(30_000)], false, -32011, undefined],
  ['a short range', [logsOf(2_000)], true, -32011, undefined],
  ['a wide range beside another call', [logsOf(30_000), call], true, -32011, undefined],
] as const)
  s(`hears "no backend" of a node that says it to ${what} [nodes/no-backend]`, async () => {
    using endpoint = open(async (calls) => ({
      trouble: { kind: 'bad_answer' },
      answers: calls.map(({ method }) =>
        method === 'eth_getLogs' || !isUp ? { error: noBackend } : { result: '0x10' },
      ),
    }))
    const [answer] = (await endpoint.send(sent)).answers
    assert.is(answer && 'error' in answer && answer.error.code, kind)
    assert.is(endpoint.limits.read().logBlocks, logBlocks)
  })

/** By a clock: how long it rests after each failure of a kind, and whether it is busy then. */
async function restFor(trouble: Reply['trouble'], failures: number, random = 1) {
  let nowMs = 1_000
  const endpoint = createEndpoint({
    url: 'http://127.0.0.1:1',
    timeoutMs: 1,
    maxResponseBytes: 1,
    random: () => random,
    now: () => nowMs,
    alterSend: () => async () => ({ answers: [undefined], trouble }),
  })
  const waits: number[] = []
  const busy: boolean[] = []
  for (let left = failures; left > 0; left -= 1) {
    await endpoint.send([call])
    waits.push(endpoint.waitMs())
    busy.push(endpoint.isBusy())
    nowMs += endpoint.waitMs() - 1
    busy.push(endpoint.isBusy())
    nowMs += 1
    busy.push(endpoint.isBusy())
  }
  endpoint.close()
  return { waits, busy: busy.slice(0, 3) }
}
s('rests twice as long each time, up to a bound of its kind [teeth/endpoint-rests]', async () => {
  const waitsOf = async (trouble: Reply['trouble'], failures: number, random = 1) =>
    (await restFor(trouble, failures, random)).waits
  const doubled = [100, 200, 400, 800, 1_600]
  const late = await waitsOf({ kind: 'timeout' }, 9)
  assert.equal(late, [...doubled, 3_200, 6_400, 10_000, 10_000])
  assert.equal(await waitsOf({ kind: 'network' }, 7), [...doubled, 2_000, 2_000])
  assert.equal(await waitsOf({ kind: 'timeout' }, 2, 0), [50, 100])
  assert.equal(await waitsOf({ kind: 'unhealthy', retryAfterMs: 300 }, 3), [300, 300, 400])
  for (const kind of ['quota_gone', 'unauthorized'] as const)
    assert.equal(await waitsOf({ kind }, 2), [60_000, 60_000])
})
s(
  'is busy where it had too many calls, and where it does not rest [teeth/endpoint-busy]',
  async () => {
    const busyOf = async (kind: Reply['trouble']['kind']) => (await restFor({ kind }, 1)).busy
    assert.equal(await busyOf('rate_limited'), [true, true, true])
    assert.equal(await busyOf('timeout'), [false, false, true])
  },
)
s('begins anew once something was answered [teeth/endpoint-rests]', async () => {
  let nowMs = 1_000
  let isWell = false
  using endpoint = open(
    async () => (isWell ? { ...lost, answers: [{ result: '0x1' }] } : lost),
    () => nowMs,
  )
  const waits: number[] = []
  for (isWell of [false, false, true, false]) {
    await endpoint.send([call])
    waits.push(endpoint.waitMs())
    nowMs += 10_000
  }
  assert.equal(waits, [100, 200, 0, 100])
})
s.run()
