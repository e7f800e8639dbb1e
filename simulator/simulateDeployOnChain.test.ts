import { type Hex, pad, toHex, zeroAddress } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { balanceReaderOverride, readBalancesCall } from './balanceReader.ts'
import type { DeployQuestion } from './deployCalls.ts'
import { type RpcCall, type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'
import { createSimulateDeployOnChain } from './simulateDeployOnChain.ts'
import {
  type AnsweredCall,
  addressOf,
  pairs,
  refused,
  reverted,
  simulated,
} from './testing/answers.ts'
import { answeredCalls, askedCalls, deployed, deployment, proxy } from './testing/deployment.ts'

/** What a node is asked of a deployment, and what of its answers is believed. */
const s = suite('simulator/simulateDeployOnChain')
const block = { blockNumber: 17n, blockHash: '0x17', timestampSecs: 1_000n } as const
const known = { ...answeredCalls, token: pairs(9n) }
type Known = Partial<Record<keyof typeof known, AnsweredCall>>
const answerOf = (calls: Known = {}) => simulated(Object.values({ ...known, ...calls }))

type Question = Partial<DeployQuestion> & { readonly minBlock?: bigint }

function open(nowMs = 0) {
  const sent: RpcCall[] = []
  let answer: RpcOutcome | Error | 'unsent' = answerOf()
  let steadyMs = 0
  const places: Promise<void>[] = []
  let takesMs = 0
  let picks = 0
  let blockHash: Hex = block.blockHash
  const simulate = createSimulateDeployOnChain({
    upstream: {
      async sendToFirst(calls, isWanted = () => true) {
        await places.shift()
        if (!isWanted()) return 'unsent'
        sent.push(...calls)
        steadyMs += takesMs
        if (answer instanceof Error) throw answer
        return answer === 'unsent' ? answer : [answer]
      },
    },
    async pickBlock(minBlock = 0n) {
      picks += 1
      return minBlock > block.blockNumber ? undefined : { ...block, blockHash }
    },
    now: () => nowMs,
    steadyNow: () => steadyMs,
  })
  return {
    sent,
    picks: () => picks,
    ask: (question: Question = {}) => simulate({ ...deployment, ...question }),
    /** The next to ask have to wait so long for a place. */
    hold: (...until: readonly Promise<void>[]) => void places.push(...until),
    reorganise(hash: Hex) {
      blockHash = hash
    },
    set(given: {
      readonly answer?: RpcOutcome | Error | 'unsent'
      readonly steadyMs?: number
      readonly takesMs?: number
    }) {
      answer = given.answer ?? answer
      steadyMs = given.steadyMs ?? steadyMs
      takesMs = given.takesMs ?? takesMs
    },
  }
}

s('asks in one call at the block that it is given, the token last [relay/node-run]', async () => {
  const { ask, sent } = open(2_000_999)
  assert.equal(await ask(), deployed)
  const token = readBalancesCall([{ token: deployment.tokenIn, holder: deployment.owner }])
  const asked = {
    blockOverrides: { time: toHex(2_000) },
    stateOverrides: balanceReaderOverride,
    calls: [...askedCalls, { ...token, gas: toHex(210_000) }],
  }
  const simulation = { blockStateCalls: [asked], validation: false, traceTransfers: false }
  assert.equal(sent, [{ method: 'eth_simulateV1', params: [simulation, '0x11'] }])
  // Later than the block, whatever the time is here.
  for (const nowMs of [0, 1_000_999]) {
    const early = open(nowMs)
    await early.ask()
    assert.match(JSON.stringify(early.sent), `"time":"${toHex(1_001)}"`)
  }
})
s('names the proxy that is there already [relay/node-run]', async () => {
  const { ask, set } = open()
  // Nothing is created then.
  const deploy = { ...known.deploy, gasUsed: toHex(21_000) }
  set({ answer: answerOf({ proxyOf: known.predict, deploy }) })
  const report = { ...deployed, existingProxy: proxy, deploy: { status: 'ok', gasUsed: 21_000n } }
  assert.equal(await ask(), report)
})
s('asks once while the block is the same, of each question [relay/node-kept]', async () => {
  const { ask, set, sent, reorganise } = open()
  for (let asked = 0; asked < 3; asked += 1) assert.equal(await ask(), deployed)
  assert.is(sent.length, 1)
  const answer = answerOf({ token: pairs(8n) })
  set({ answer })
  const others = ['factory', 'owner', 'tokenIn', 'relayer'] as const
  for (const field of others) {
    const other = { [field]: addressOf('7') }
    assert.is((await ask(other))?.tokenBalance, 8n, field)
  }
  assert.equal(await ask(), deployed)
  reorganise('0x18')
  assert.is((await ask())?.tokenBalance, 8n)
  assert.is(sent.length, 2 + others.length)
})
s('keeps no more than so many of them [relay/node-kept]', async () => {
  const { ask, sent } = open()
  const askAll = async () => {
    for (let n = 0; n < 257; n += 1) await ask({ owner: toHex(n, { size: 20 }) })
    return sent.length
  }
  assert.equal([await askAll(), await askAll()], [257, 514])
})
s('asks nothing where there is no block to ask it at [relay/node-run]', async () => {
  const { ask, sent } = open()
  assert.equal([await ask({ minBlock: 18n }), sent], [undefined, []])
  assert.equal(await ask({ minBlock: 17n }), deployed)
})
s('leaves refusals, and tokens that tell nothing, to a fork [relay/node-run]', async () => {
  const { ask, set, sent, reorganise } = open()
  for (const calls of [
    { deploy: reverted('0x', toHex(21_000)) },
    { token: pairs(undefined) },
    { token: reverted() },
  ]) {
    set({ answer: answerOf(calls) })
    assert.is(await ask(), undefined)
    // The node is asked no second time while the block is the same.
    set({ answer: answerOf() })
    assert.is(await ask(), undefined)
    reorganise(`0x2${sent.length}`)
  }
  assert.is(sent.length, 3)
  // The reader takes that for the native currency.
  assert.is(await ask({ tokenIn: zeroAddress }), undefined)
  assert.is(sent.length, 3)
  assert.equal(await ask(), deployed)
})
s('leaves a node alone for a while that does not answer this [relay/node-rests]', async () => {
  const none = { returnData: '0x' } as const
  for (const answer of [
    refused('the method eth_simulateV1 does not exist', -32601),
    simulated(Object.values(known).slice(1)),
    answerOf({ proxyOf: none }),
    answerOf({ predict: none }),
    answerOf({ funds: pairs(undefined, 7n) }),
    answerOf({ funds: pairs(5n, undefined) }),
    new RpcTransportError('timeout'),
  ]) {
    const { ask, set, sent, picks } = open()
    set({ answer })
    assert.is(await ask(), undefined)
    set({ answer: answerOf(), steadyMs: 499 })
    assert.equal([await ask(), sent.length, picks()], [undefined, 1, 1])
    set({ steadyMs: 500 })
    assert.equal(await ask(), deployed)
  }
})
s(
  'leaves it alone twice as long each time, and less for each answer [relay/node-rests]',
  async () => {
    const { ask, set, sent, reorganise } = open()
    const refusal = refused('limit exceeded', -32005)
    let nowMs = 0
    async function restMs() {
      set({ answer: refusal, steadyMs: nowMs })
      assert.is(await ask(), undefined)
      const before = sent.length
      const startedMs = nowMs
      while (sent.length === before) {
        nowMs += 250
        set({ steadyMs: nowMs })
        await ask()
      }
      return nowMs - startedMs
    }
    // Each ends with another refusal, from which the next rest is counted.
    const rests: number[] = []
    for (let n = 0; n < 12; n += 1) rests.push(await restMs())
    const doubled = Array.from({ length: 10 }, (_, n) => 500 * 2 ** n)
    assert.equal(rests, [...doubled, 300_000, 300_000])
    async function answerTimes(count: number) {
      nowMs += 300_000
      set({ answer: answerOf(), steadyMs: nowMs })
      for (let n = 0; n < count; n += 1) {
        reorganise(`0x${sent.length}`)
        assert.equal(await ask(), deployed)
      }
      reorganise('0x')
    }
    await answerTimes(1)
    assert.is(await restMs(), 225_000)
    await answerTimes(30)
    assert.is(await restMs(), 500)
  },
)
s(
  'asks nothing any more for those that waited for a place meanwhile [relay/node-rests]',
  async () => {
    const { ask, set, sent, hold } = open()
    const place = Promise.withResolvers<void>()
    hold(...Array(4).fill(place.promise))
    set({ answer: new RpcTransportError('timeout') })
    const waiting = Array.from({ length: 4 }, (_, n) => ask({ owner: addressOf(`${n}`) }))
    await new Promise(setImmediate)
    assert.is(await ask(), undefined)
    place.resolve()
    assert.equal(await Promise.all(waiting), Array(4).fill(undefined))
    assert.is(sent.length, 1)
    set({ answer: answerOf(), steadyMs: 500 })
    assert.equal(await ask(), deployed)
  },
)
s('counts what failed beside each other once [relay/node-rests]', async () => {
  const { ask, set, sent } = open()
  set({ answer: refused('limit exceeded', -32005) })
  const asking = Array.from({ length: 4 }, (_, n) => ask({ owner: addressOf(`${n}`) }))
  assert.equal(await Promise.all(asking), Array(4).fill(undefined))
  assert.is(sent.length, 4)
  set({ answer: answerOf(), steadyMs: 500 })
  assert.equal(await ask(), deployed)
})
s('leaves a node alone that is late, whatever it says [relay/node-late]', async () => {
  for (const [takesMs, answer, restMs] of [
    [600, answerOf(), 0],
    [601, answerOf(), 500],
    [600, new RpcTransportError('http_status'), 500],
    [1_500, new RpcTransportError('timeout'), 5_000],
  ] as const) {
    const { ask, set } = open()
    set({ answer, takesMs })
    // An answer is an answer.
    assert.equal(await ask(), answer instanceof Error ? undefined : deployed)
    const other = { owner: addressOf('8') }
    set({ answer: answerOf(), takesMs: 0, steadyMs: takesMs + restMs - 1 })
    if (restMs > 0) assert.is(await ask(other), undefined)
    set({ steadyMs: takesMs + restMs })
    assert.equal(await ask(other), deployed)
  }
})
s('leaves one that is always late alone for ten seconds at most [relay/node-late]', async () => {
  const { ask, set, sent, reorganise } = open()
  const takesMs = 1_000
  set({ takesMs })
  assert.equal(await ask(), deployed)
  let nowMs = takesMs
  for (const restMs of [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
    const before = sent.length
    const sinceMs = nowMs
    for (; sent.length === before; nowMs += 250) {
      reorganise(`0x${nowMs}`)
      set({ steadyMs: nowMs })
      await ask()
    }
    assert.is(nowMs - 250 - sinceMs, restMs)
    nowMs += takesMs - 250
  }
})
s('leaves no node alone that it has not asked [relay/node-unsent]', async () => {
  const { ask, set } = open()
  set({ answer: 'unsent' })
  assert.is(await ask(), undefined)
  set({ answer: answerOf() })
  assert.equal(await ask(), deployed)
})
s('believes no node that contradicts itself, and leaves it alone [relay/node-sound]', async () => {
  const other = { returnData: pad(addressOf('9')) }
  const none = { returnData: pad('0x00') } as const
  const { deploy } = known
  for (const calls of [
    { proxyOf: other },
    { predict: other },
    { predict: none, deploy: { ...deploy, ...none } },
    { deploy: { ...deploy, ...other } },
    { deploy: { ...deploy, returnData: '0x' } },
    { deploy: { ...deploy, gasUsed: toHex(70_999) } },
    { deploy: { ...deploy, gasUsed: toHex(2_000_001) } },
    { proxyOf: known.predict, deploy: { ...deploy, gasUsed: toHex(20_999) } },
    { deploy: reverted('0x', toHex(20_999)) },
  ] as const) {
    const { ask, set, sent } = open()
    set({ answer: answerOf(calls) })
    assert.is(await ask(), undefined, JSON.stringify(calls))
    set({ answer: answerOf() })
    assert.equal([await ask(), sent.length], [undefined, 1])
  }
  const { ask, set } = open()
  set({ answer: answerOf({ deploy: { ...deploy, gasUsed: toHex(71_000) } }) })
  assert.equal(await ask(), { ...deployed, deploy: { status: 'ok', gasUsed: 71_000n } })
})
s('tells that while by a clock that nobody sets [relay/node-rests]', async () => {
  let sent = 0
  const simulate = createSimulateDeployOnChain({
    upstream: {
      async sendToFirst() {
        sent += 1
        return [refused('not found', -32601)]
      },
    },
    pickBlock: async () => block,
    now: () => 0,
  })
  for (let asked = 0; asked < 2; asked += 1) assert.is(await simulate(deployment), undefined)
  assert.is(sent, 1)
})
s('hides no mistake of ours [relay/node-rests]', async () => {
  const { ask, set } = open()
  const answer = new RangeError('a mistake of ours')
  set({ answer })
  assert.is(await ask().catch((error: unknown) => error), answer)
})
s.run()
