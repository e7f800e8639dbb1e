import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { encodeErrorResult, getAddress, numberToHex, pad, parseAbi } from 'viem'
import { createStandInFork } from '../fixtures/anvil/standInFork.ts'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import type { GenerationEvent } from './generation.ts'
import { type RpcCall, type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'
import { createSimulator, type Simulator, type SlotCache, simulatedTakerOf } from './simulator.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import { addressOf, pairs, reverted, simulated, told, word } from './testing/answers.ts'
import { performBundle, readAsked } from './testing/performBundle.ts'
import { plainSwap } from './testing/plainSwap.ts'

/** All of it over a chain that is a table, on forks that are no processes. */
const s = suite('simulator/simulator')
const chainId = 8453
const swap: Candidate = { ...plainSwap, funding: 'real' }
const errors = parseAbi(['error TooLittle(uint256 got)'])
type Given = {
  readonly isUp?: boolean
  readonly startsAfter?: Promise<void>
  readonly slots?: SlotCache
  /** Of bundles, and of what traces and deployments ask. */
  readonly answer?: (call: RpcCall) => RpcOutcome | undefined
  /** By the chain's node. */
  readonly simulate?: (call: RpcCall) => RpcOutcome
}
async function open(given: Given = {}) {
  const { isUp = true, startsAfter, slots, answer = () => undefined, simulate } = given
  const events: GenerationEvent[] = []
  const order: string[] = []
  const started: { readonly blockNumber: bigint; readonly upstreamUrl: string }[] = []
  const warmUps: RpcCall[] = []
  let head = 17
  const simulator = await createSimulator({
    chains: [
      {
        chainId,
        upstreamUrl: 'http://127.0.0.1:9/se-cret',
        async ask(calls, purpose) {
          if (purpose === 'warmUp') warmUps.push(...calls)
          return calls.map((call): RpcOutcome | undefined => {
            const { method } = call
            if (!isUp) return undefined
            if (simulate && method === 'eth_simulateV1') return simulate(call)
            if (method === 'eth_chainId') return told(numberToHex(chainId))
            const hash = head === 17 ? '0xab' : '0xac'
            return told({ number: numberToHex(head), hash, timestamp: '0x3e8' })
          })
        },
      },
    ],
    slots,
    startsAfter,
    abis: [errors],
    log: (event) => void events.push(event),
    now: () => 2_000_000,
    forks: {
      async startFork({ blockNumber, upstreamUrl }) {
        started.push({ blockNumber, upstreamUrl })
        const smoke = [told(numberToHex(blockNumber)), told([])]
        return createStandInFork({
          async batch(calls) {
            if (calls[0]?.method === 'eth_blockNumber') return smoke
            return calls.map((call) => {
              const given = answer(call)
              if (given) return given
              if (call.method !== 'eth_simulateV1') return told('0x6001')
              return performBundle(readAsked(call), { held: 100n, gains: [20n] })
            })
          },
        }).fork
      },
      findHost: async () => '127.0.0.1',
      memoryBytes: async (of) => of,
      close: async () => void order.push('forks'),
    },
  })
  return {
    simulator,
    events,
    order,
    started,
    warmUps,
    moveOn() {
      head += 1
    },
  }
}
const messageOf = (asked: Promise<unknown>) =>
  asked.then(String, (error: unknown) =>
    error instanceof SimulatorUnavailable ? error.message : `not so: ${error}`,
  )
const unavailable = (reason: string, of = chainId) =>
  `simulator unavailable on chain ${of}: ${reason}`

s('answers from one block, which it names [teeth/simulator]', async () => {
  const { simulator, order, started, events } = await open()
  const { blockNumber, blockHash, results } = await simulator.simulateCandidates({
    chainId,
    candidates: [swap, { ...swap, taker: addressOf('8') }],
  })
  const ok = { status: 'ok', amountOut: 20n, gasUsed: 21_000n }
  assert.equal([blockNumber, blockHash, results], [17n, '0xab', [ok, ok]])
  assert.equal(
    started.map((fork) => fork.blockNumber),
    [17n],
  )
  assert.not.match(started[0]?.upstreamUrl ?? '', 'se-cret')
  const { ready, blockNumber: standing } = simulator.status(chainId)
  assert.equal([ready, standing, await simulator.memoryBytes(7)], [true, 17n, 7])
  assert.equal(
    events.map(({ event }) => event),
    ['fork_ready'],
  )
  await simulator.close()
  assert.equal(order, ['forks'])
})
const proxy = getAddress(addressOf('9'))
const deployment = {
  chainId,
  factory: addressOf('1'),
  owner: addressOf('2'),
  tokenIn: swap.tokenIn,
  relayer: addressOf('4'),
}
/** Traces and deployments, too. */
function answerAll({ method, params }: RpcCall): RpcOutcome | undefined {
  const asked = JSON.stringify(params)
  const { target: to, data: input } = swap
  if (method === 'debug_traceCall') {
    const frame = { type: 'CALL', from: addressOf('d'), to, gasUsed: '0x1', input }
    return told(asked.includes('callTracer') ? frame : { pre: {}, post: {} })
  }
  if (method !== 'eth_simulateV1' || asked.includes('"value"')) return undefined
  const known = [pad('0x00'), pad(proxy)].map((returnData) => ({ returnData }))
  return simulated([pairs(5n, 7n), ...known, {}, { returnData: word(9n) }])
}
s('traces a candidate, and dry-runs a deployment, as of its block [teeth/simulator]', async () => {
  const { simulator } = await open({ answer: answerAll })
  const { blockNumber, trace } = await simulator.traceCandidate({ chainId, candidate: swap })
  assert.equal([blockNumber, trace.status], [17n, 'traced'])
  const report = await simulator.simulateDeploy(deployment)
  assert.equal([report.blockNumber, report.predictedProxy, report.tokenBalance], [17n, proxy, 9n])
  await simulator.close()
})
s(
  'dry-runs a deployment on the node, and on a fork what that refuses [relay/node-or-fork]',
  async () => {
    const onForks: RpcCall[] = []
    let isRefused = false
    const { simulator, moveOn, started } = await open({
      answer(call) {
        onForks.push(call)
        return answerAll(call)
      },
      simulate(call) {
        assert.is(call.params.at(-1), numberToHex(18))
        const returnData = pad(proxy)
        const deploy = isRefused ? reverted() : { gasUsed: '0x30d40' as const, returnData }
        return simulated([
          pairs(5n, 7n),
          { returnData: pad('0x00') },
          { returnData },
          deploy,
          pairs(8n),
        ])
      },
    })
    moveOn()
    const read = async () => {
      const owner = addressOf(isRefused ? '6' : '2')
      const asked = { ...deployment, owner }
      const { blockNumber, tokenBalance } = await simulator.simulateDeploy(asked)
      return [blockNumber, tokenBalance, onForks.length > 0, started.length]
    }
    assert.equal(await read(), [18n, 8n, false, 1])
    isRefused = true
    assert.equal(await read(), [18n, 9n, true, 2])
    await simulator.close()
  },
)
s('says errors of known contracts by their names [teeth/simulator]', async () => {
  const data = encodeErrorResult({ abi: errors, errorName: 'TooLittle', args: [5n] })
  const { simulator } = await open({
    answer: (call) =>
      call.method === 'eth_simulateV1'
        ? performBundle(readAsked(call), { held: 100n, swap: reverted(data) })
        : undefined,
  })
  const { results } = await simulator.simulateCandidates({ chainId, candidates: [swap] })
  assert.equal(results, [{ status: 'simulation_failed', reason: 'TooLittle(5)' }])
  await simulator.close()
})
s('knows no chain but those that it was given [teeth/simulator-none]', async () => {
  const { simulator } = await open()
  const reason = unavailable('it is not configured', 1)
  assert.is(await messageOf(simulator.simulateCandidates({ chainId: 1, candidates: [] })), reason)
  assert.is(await messageOf(simulator.traceCandidate({ chainId: 1, candidate: swap })), reason)
  assert.throws(() => simulator.status(1), /it is not configured/)
  await simulator.close()
})
s(
  'waits for no chain that is down, nor for what comes first, and begins then [teeth/simulator-none]',
  async () => {
    const down = await open({ isUp: false })
    assert.equal(
      [down.simulator.status(chainId).ready, down.events.map(({ event }) => event)],
      [false, ['fork_refused']],
    )
    await down.simulator.close()
    const gate = Promise.withResolvers<void>()
    const { simulator, started } = await open({ startsAfter: gate.promise })
    await new Promise(setImmediate)
    assert.equal(started, [])
    gate.resolve()
    const { blockNumber } = await simulator.simulateCandidates({ chainId, candidates: [] })
    assert.is(blockNumber, 17n)
    await simulator.close()
  },
)
s(
  'is unavailable where a fork does not answer, and nothing else is that [teeth/simulator-none]',
  async () => {
    for (const [error, message] of [
      [new RpcTransportError('garbage'), unavailable('the fork did not answer')],
      [new RpcTransportError('aborted'), 'not so: RpcTransportError: rpc aborted'],
      [new RangeError('a mistake of ours'), 'not so: RangeError: a mistake of ours'],
    ] as const) {
      const { simulator } = await open({
        answer() {
          throw error
        },
      })
      assert.is(
        await messageOf(simulator.simulateCandidates({ chainId, candidates: [swap] })),
        message,
      )
      await simulator.close()
    }
  },
)
s(
  'tells of a book of slots that fails by a name, never by its words [teeth/simulator-slots]',
  async () => {
    class Lost extends Error {
      override readonly name = 'Lost'
    }
    for (const [cause, reason] of [
      [new Lost('postgres://user:se-cret@host'), 'Lost'],
      [Object.assign(new Error('se-cret'), { code: 'ENOSPC' }), 'ENOSPC'],
      ['se-cret', 'unknown'],
    ] as const) {
      const failing = () => Promise.reject(cause)
      const { simulator, events } = await open({ slots: { get: failing, put: failing } })
      await simulator.simulateCandidates({
        chainId,
        candidates: [{ ...swap, funding: 'override' }],
      })
      assert.equal(events.at(-1), { event: 'slot_cache_failed', chainId, reason })
      await simulator.close()
    }
  },
)
s('is seen by whoever watches dry runs [teeth/simulator]', async () => {
  const seen: unknown[] = []
  const note = (message: unknown) => {
    seen.push((message as { attributes: unknown }).attributes)
  }
  subscribe('tracing:forkyard.dryRun:asyncEnd', note)
  const { simulator } = await open()
  await simulator.simulateCandidates({ chainId, candidates: [swap, swap] })
  unsubscribe('tracing:forkyard.dryRun:asyncEnd', note)
  assert.equal(seen, [{ chainId, candidates: 2 }])
  await simulator.close()
})
s(
  'runs what names no taker from an account of its own, the same on every start [teeth/simulator]',
  async () => {
    const senders: unknown[] = []
    const { simulator } = await open({
      answer(call) {
        if (call.method === 'eth_simulateV1') senders.push(readAsked(call).swap.from)
        return undefined
      },
    })
    const taken = { ...swap, taker: addressOf('8') }
    await simulator.simulateCandidates({ chainId, candidates: [swap, taken] })
    const own = '0xe6F3F478a90813d2ED44153ad74aBf2206fF1C49'
    assert.equal(senders, [own, taken.taker])
    assert.equal([simulator.simulatedTaker(chainId), simulatedTakerOf(chainId)], [own, own])
    assert.is.not(simulatedTakerOf(42161), own)
    await simulator.close()
  },
)
s('fetches ahead what was missed, but for what its callers name [teeth/simulator]', async () => {
  const asks: readonly ((simulator: Simulator) => Promise<unknown>)[] = [
    ({ simulateCandidates }) => simulateCandidates({ chainId, candidates: [swap] }),
    ({ traceCandidate }) => traceCandidate({ chainId, candidate: swap }),
    ({ simulateDeploy }) => simulateDeploy(deployment),
  ]
  for (const ask of asks) {
    const { simulator, started, warmUps, moveOn } = await open({ answer: answerAll })
    await ask(simulator)
    const pool = addressOf('5')
    const reads = [pool, swap.tokenIn].map((of, id) => ({
      id,
      method: 'eth_getStorageAt',
      params: [of, '0x1', '0x11'],
    }))
    // As its fork does.
    await fetch(started[0]?.upstreamUrl ?? '', { method: 'POST', body: JSON.stringify(reads) })
    moveOn()
    await simulator.simulateCandidates({ chainId, candidates: [] })
    assert.equal([...new Set(warmUps.map(({ params: [of] }) => of))], [pool])
    await simulator.close()
  }
})
s.run()
