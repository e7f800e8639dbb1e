import { encodeErrorResult, type Hex, pad, parseAbi, toHex } from 'viem'
import { createStandInFork } from '../fixtures/anvil/standInFork.ts'
import { assert, suite } from '../fixtures/test.ts'
import { balanceReaderOverride } from './balanceReader.ts'
import type { TokenKind } from './codelessTokens.ts'
import { createErrorTable } from './revertReason.ts'
import { balanceOfCall } from './rpc/callShapes.ts'
import { type RpcCall, type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'
import { simulateDeploy } from './simulateDeploy.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import {
  type AnsweredCall,
  addressOf,
  pairs,
  refused,
  reverted,
  simulated,
  told,
  word,
} from './testing/answers.ts'
import { answeredCalls, askedCalls, deployed, deployment, proxy } from './testing/deployment.ts'
import { generationOf } from './testing/plainSwap.ts'

/** What the relay's gates are told of a deployment, of a fork that answers what a row of a test says. */
const s = suite('simulator/simulateDeploy')
const chainId = 8453
const { owner, tokenIn } = deployment
const overrides = { [addressOf('0')]: { code: '0xfe' } } as const

const known = { ...answeredCalls, token: { returnData: word(9n) } }
type Given = {
  readonly calls?: Partial<Record<keyof typeof known, AnsweredCall>>
  readonly answer?: RpcOutcome
  readonly kind?: TokenKind
  readonly ofChain?: () => Promise<readonly RpcOutcome[]>
  readonly nowMs?: number
}
async function simulate({
  calls,
  answer = simulated(Object.values({ ...known, ...calls })),
  kind = 'other',
  ofChain = async () => [],
  nowMs = 0,
}: Given = {}) {
  const batches: (readonly [readonly RpcCall[], object])[] = []
  const sent: unknown[] = []
  const { fork } = createStandInFork({
    async batch(asked, limits) {
      batches.push([asked, limits])
      return [...asked.slice(1).map(() => told('0x')), answer]
    },
  })
  const generation = generationOf(fork, overrides)
  const report = await simulateDeploy(
    {
      errors: createErrorTable([]),
      now: () => nowMs,
      codeless: async (_, tokens) => {
        assert.equal(tokens, [tokenIn])
        return [kind]
      },
      upstream: {
        send(asked, purpose) {
          sent.push(purpose, asked)
          return ofChain()
        },
      },
    },
    { generation, chainId, ...deployment },
  ).catch((error: unknown) => {
    if (error instanceof SimulatorUnavailable) return error.message
    throw error
  })
  return { report, batches, sent }
}
const silent = `simulator unavailable on chain ${chainId}: the chain did not answer in time`
const reportOf = async (given: Given) => (await simulate(given)).report

s(
  'reports each thing of one block, and the proxy that is there already [teeth/deploying]',
  async () => {
    assert.equal(await reportOf({}), deployed)
    const existing = addressOf('9')
    assert.equal(await reportOf({ calls: { proxyOf: { returnData: pad(existing) } } }), {
      ...deployed,
      existingProxy: existing,
    })
  },
)
s('asks in one call, the token last, and two reads beside it [teeth/deploying]', async () => {
  const { batches } = await simulate({ nowMs: 2_000_999 })
  const token = { ...balanceOfCall(tokenIn, owner), gas: toHex(200_000) }
  const [, proxyOf] = askedCalls
  const calls = [...askedCalls, token]
  const stateOverrides = { ...overrides, ...balanceReaderOverride }
  const blockOverrides = { time: toHex(2_000) }
  assert.equal(batches, [
    [
      [
        ...[proxyOf, token].map((call) => ({
          method: 'eth_call',
          params: [call, 'latest', stateOverrides],
        })),
        {
          method: 'eth_simulateV1',
          params: [
            {
              blockStateCalls: [{ blockOverrides, stateOverrides, calls }],
              validation: false,
              traceTransfers: false,
            },
            'latest',
          ],
        },
      ],
      { timeoutMs: 5_000 },
    ],
  ])
  // Never before the block itself.
  for (const nowMs of [999_999, 1_000_000]) {
    const [asked] = (await simulate({ nowMs })).batches
    assert.match(JSON.stringify(asked), `"time":"${toHex(1_000)}"`)
  }
})
s('says why a deployment would fail [teeth/deploying-halt]', async () => {
  const reason = async (returnData: Hex, gasUsed: number) => {
    const report = await reportOf({ calls: { deploy: reverted(returnData, toHex(gasUsed)) } })
    return typeof report === 'string' ? report : report.deploy
  }
  const because = (why: string) => ({ status: 'reverted', reason: why })
  const data = encodeErrorResult({
    abi: parseAbi(['error Error(string)']),
    errorName: 'Error',
    args: ['exists'],
  })
  assert.equal(await reason(data, 30_000), because('exists'))
  assert.equal(await reason(data, 2_000_000), because('exists'))
  assert.equal(await reason('0x', 2_000_000), because('gas cap exceeded'))
  assert.equal(await reason('0x', 1_999_999), because('execution reverted without a reason'))
})
s('reports nothing where the fork leaves out any of it [teeth/deploying-silent]', async () => {
  const unread: readonly Given[] = [
    { answer: refused('failed to get account') },
    { answer: simulated(Object.values(known).slice(1)) },
    { answer: told([]) },
    { calls: { funds: reverted() } },
    { calls: { funds: pairs(undefined, 7n) } },
    { calls: { funds: pairs(5n, undefined) } },
  ]
  for (const given of unread) assert.is(await reportOf(given), silent)
})
s('reports nothing of a factory that is none [teeth/deploying-silent]', async () => {
  const message = `simulator unavailable on chain ${chainId}: the proxy factory does not answer`
  for (const answer of [reverted(pad(proxy)), { returnData: proxy }, { returnData: '0x' }] as const)
    for (const calls of [
      { ...known, proxyOf: answer },
      { ...known, predict: answer },
    ])
      assert.is(await reportOf({ calls }), message)
})
s(
  "reads a token that no fork has of the chain's node, at that block [teeth/deploying-token]",
  async () => {
    const calls = { token: {} }
    const balanceOf = async (given: Given) => {
      const { report, sent } = await simulate({ calls, ...given })
      return [typeof report === 'string' ? report : report.tokenBalance, sent.length > 0]
    }
    assert.equal(await balanceOf({ kind: 'other' }), [undefined, false])
    assert.equal(await balanceOf({ kind: 'silent' }), [silent, false])
    const { report, sent } = await simulate({
      calls,
      kind: 'codeless',
      ofChain: async () => [told(word(8n))],
    })
    assert.equal(report, { ...deployed, tokenBalance: 8n })
    const call = { ...balanceOfCall(tokenIn, owner), gas: toHex(200_000) }
    assert.equal(sent, ['simulation', [{ method: 'eth_call', params: [call, '0x11'] }]])
    const node = (ofChain: Given['ofChain'] & object) => balanceOf({ kind: 'codeless', ofChain })
    assert.equal(await node(async () => [refused('no such method')]), [undefined, true])
    assert.equal(await node(() => Promise.reject(new RpcTransportError('timeout'))), [silent, true])
    const mistake = new RangeError('a mistake of ours')
    assert.is(await node(() => Promise.reject(mistake)).catch((error: unknown) => error), mistake)
    // What the fork has, nobody else is asked about.
    const there = await simulate({ kind: 'codeless', ofChain: async () => [told(word(8n))] })
    assert.equal([there.report, there.sent], [deployed, []])
  },
)
s.run()
