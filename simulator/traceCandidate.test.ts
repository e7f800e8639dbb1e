import { mock } from 'node:test'
import { type Address, type Hex, pad, toHex } from 'viem'
import { createStandInFork } from '../fixtures/anvil/standInFork.ts'
import { assert, suite } from '../fixtures/test.ts'
import { balanceReaderOverride } from './balanceReader.ts'
import type { Candidate } from './buildBundle.ts'
import type { TokenKind } from './codelessTokens.ts'
import { createErrorTable } from './revertReason.ts'
import { approveData, type StateOverrides } from './rpc/callShapes.ts'
import { type RpcCall, type RpcFault, type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'
import { addressOf, refused, simulated, told, word } from './testing/answers.ts'
import { generationOf } from './testing/plainSwap.ts'
import { traceCandidate } from './traceCandidate.ts'

/** Beside a fork for what may be hostile that answers what a row of a test says. */
const s = suite('simulator/traceCandidate')
s.after.each(() => mock.restoreAll())
const taker = addressOf('d')
const token = addressOf('b')
const candidate: Candidate = {
  target: addressOf('a'),
  data: '0x01020304',
  value: 0n,
  tokenIn: token,
  tokenOut: addressOf('c'),
  amountIn: 100n,
  spender: addressOf('f'),
}
const frame = {
  type: 'CALL',
  from: taker,
  to: candidate.target,
  value: '0x0',
  gasUsed: '0x5208',
  input: candidate.data,
}
const [balanceSlot, allowanceSlot, emptied] = [word(1n), word(2n), word(3n)]

type Options = {
  readonly tracer: string
  readonly tracerConfig: object
  readonly stateOverrides: StateOverrides
  readonly blockOverrides: object
}
type Asked = {
  readonly method: string
  readonly call: { readonly to: Address; readonly data: Hex; readonly gas: Hex }
  readonly options: Options
  readonly timeoutMs: number
}
type Given = {
  readonly change?: Partial<Candidate>
  readonly kinds?: readonly TokenKind[]
  readonly nowMs?: number
  readonly funded?: boolean
  readonly noSlowFork?: boolean
  /** Of what is asked in this order: the dry run, what is before the swap, the swap. */
  readonly answers?: typeof usual
  readonly signal?: AbortSignal
}
const diff = {
  pre: { [token]: { storage: { [emptied]: word(9n), [allowanceSlot]: word(0n) } } },
  post: { [token.toUpperCase().replace('0X', '0x')]: { storage: { [allowanceSlot]: word(100n) } } },
}
const usual: readonly (RpcOutcome | Error)[] = [simulated([]), told(diff), told(frame)]
async function trace({
  change,
  kinds = ['other', 'other'],
  nowMs = 0,
  funded = true,
  noSlowFork = false,
  answers = usual,
  signal,
}: Given = {}) {
  const left = [...answers]
  const asked: Asked[] = []
  const order: string[] = []
  const slow = createStandInFork({
    async batch([call], { timeoutMs, maxBytes, signal: given }) {
      assert.equal([maxBytes, given], [2 * 1024 * 1024, signal])
      const { method = '', params = [] } = call ?? ({} as Partial<RpcCall>)
      const [of, block, options] = params as [Asked['call'], string, Options]
      if (method === 'debug_traceCall') assert.is(block, 'latest')
      asked.push({ method, call: of, options, timeoutMs })
      const answer = left.shift()
      if (answer instanceof Error) throw answer
      return answer ? [answer] : []
    },
  })
  const { fork } = createStandInFork()
  const generation = {
    ...generationOf(fork),
    async slowFork() {
      order.push('fork')
      return noSlowFork ? Promise.reject(new Error('no memory')) : slow.fork
    },
  }
  const outcome = await traceCandidate(
    {
      slots: {
        resolve: async () =>
          funded
            ? {
                status: 'found',
                slot: {
                  formula: 'direct',
                  contract: token,
                  base: balanceSlot,
                  shiftBits: 0,
                  widthBits: 256,
                  wordUnit: 1n,
                  balanceUnit: 1n,
                },
              }
            : { status: 'not_found' },
        invalidate: () => undefined,
      },
      findWhales: async () => [],
      codeless: async () => kinds,
      upstream: { sendApart: async () => [] },
      errors: createErrorTable([]),
      now: () => nowMs,
      simulatedTaker: taker,
      async slowLane(work) {
        order.push('lane')
        return work()
      },
    },
    { generation, candidate: { ...candidate, ...change }, signal },
  )
  return { outcome, asked, order, kills: slow.kills }
}
const reasonOf = async (given: Given) => {
  const { outcome, kills } = await trace(given)
  return [outcome.status === 'traced' ? outcome.status : outcome.reason, kills()]
}

s('runs once before it traces, in its turn on the fork for such [teeth/trace]', async () => {
  const { outcome, asked, order, kills } = await trace()
  assert.is(outcome.status === 'traced' && outcome.calls.length, 1)
  assert.equal(order, ['lane', 'fork'])
  assert.equal(
    asked.map(({ method }) => method),
    ['eth_simulateV1', 'debug_traceCall', 'debug_traceCall'],
  )
  const [run, approval, swap] = asked
  assert.equal([run?.timeoutMs, kills()], [3_500, 0])
  // What reads balances before the swap changes nothing: it is not traced.
  assert.equal([approval?.call.to, approval?.call.data], [token, approveData(addressOf('f'), 100n)])
  assert.equal(
    [approval?.options.tracer, approval?.options.tracerConfig],
    ['prestateTracer', { diffMode: true }],
  )
  assert.equal(
    [swap?.call.to, swap?.call.data, swap?.call.gas],
    [candidate.target, candidate.data, toHex(25_000_000n)],
  )
  assert.equal(
    [swap?.options.tracer, swap?.options.tracerConfig],
    ['callTracer', { withLog: true }],
  )
})
s('traces from what the calls before it left, in the block after [teeth/trace-state]', async () => {
  const { asked } = await trace({ nowMs: 2_000_000 })
  const [, approval, swap] = asked
  const at = { time: toHex(2_000), number: toHex(18) }
  assert.equal([approval?.options.blockOverrides, swap?.options.blockOverrides], [at, at])
  const before: StateOverrides = {
    [addressOf('0')]: { code: '0xfe' },
    ...balanceReaderOverride,
    [token]: { stateDiff: { [balanceSlot]: word(100n) } },
    [taker]: { balance: toHex(10n ** 18n) },
  }
  assert.equal(approval?.options.stateOverrides, before)
  assert.equal(swap?.options.stateOverrides, {
    ...before,
    [token]: {
      stateDiff: {
        [balanceSlot]: word(100n),
        [emptied]: pad('0x', { size: 32 }),
        [allowanceSlot]: word(100n),
      },
    },
  })
  // No time before the block's own, and no account that nothing became of.
  const pool = addressOf('5')
  const others = { pre: { [pool]: {} }, post: { [pool]: {}, [addressOf('6')]: { storage: {} } } }
  const early = await trace({
    answers: [simulated([]), told(others), told(frame)],
    nowMs: 1_000_000,
  })
  const [, first, last] = early.asked
  assert.equal(first?.options.blockOverrides, { time: toHex(1_000), number: toHex(18) })
  assert.not.ok(Object.hasOwn(last?.options.stateOverrides ?? {}, pool))
  const late = await trace({ nowMs: 999_000 })
  assert.equal(late.asked[1]?.options.blockOverrides, first?.options.blockOverrides)
})
s('has a second and a half for all of a trace [teeth/trace-ends]', async () => {
  let nowMs = 0
  mock.method(performance, 'now', () => {
    nowMs += 1_000
    return nowMs
  })
  const { asked } = await trace()
  assert.equal(
    asked.map(({ timeoutMs }) => timeoutMs),
    [3_500, 500, 1],
  )
})
s('traces from the taker that it is given [teeth/trace]', async () => {
  const somebody = addressOf('7')
  const { asked } = await trace({
    change: { taker: somebody, funding: 'real', spender: undefined },
    answers: [simulated([]), told(frame)],
  })
  const { from } = (asked[1]?.call ?? {}) as { from?: Address }
  assert.equal([asked.length, from], [2, somebody])
})
s(
  'ends the fork where a trace takes too long, before the next one asks [teeth/trace-ends]',
  async () => {
    const ends = (fault: RpcFault, at = 2) =>
      reasonOf({ answers: usual.with(at, new RpcTransportError(fault)) })
    for (const at of [0, 1, 2])
      assert.equal(await ends('timeout', at), ['the trace took too long', 1])
    assert.equal(await ends('connection'), ['the fork ended meanwhile', 1])
    assert.equal(await ends('too_large'), ['the trace is too large', 0])
  },
)
s(
  'throws where whoever asked has gone, and what is no word of a fork [teeth/trace-ends]',
  async () => {
    for (const error of [new RpcTransportError('aborted'), new Error('a mistake of ours')]) {
      const thrown = await trace({ answers: [error] }).catch((one: unknown) => one)
      assert.is(thrown, error)
    }
    const { signal } = new AbortController()
    assert.is((await trace({ signal })).outcome.status, 'traced')
  },
)
s('says why there is none [teeth/trace-none]', async () => {
  for (const kinds of [
    ['codeless', 'other'],
    ['other', 'codeless'],
  ] as const) {
    const { outcome, order } = await trace({ kinds })
    const reason = 'a token without code, which no fork traces'
    assert.equal([outcome, order], [{ status: 'unavailable', reason }, []])
  }
  assert.equal(await reasonOf({ funded: false }), ['balance slot not found', 0])
  assert.equal(await reasonOf({ noSlowFork: true }), [
    'the fork for dear candidates is not ready',
    0,
  ])
  const at = (index: number, answer: RpcOutcome) => reasonOf({ answers: usual.with(index, answer) })
  const chainAway = ['the chain did not answer in time', 0]
  assert.equal(await at(1, refused('failed to get storage')), chainAway)
  assert.equal(await at(2, refused('failed to get storage')), chainAway)
  const none = ['the fork gave no readable trace', 0]
  assert.equal([await at(2, told(null)), await at(2, told('0x'))], [none, none])
  assert.equal(await reasonOf({ answers: [simulated([]), told(diff)] }), none)
  assert.equal(await reasonOf({ answers: [simulated([])] }), none)
})
s.run()
