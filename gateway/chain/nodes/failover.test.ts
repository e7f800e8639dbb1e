import { assert, suite } from '../../../fixtures/test.ts'
import type { Endpoint } from './endpoint.ts'
import { createFailover } from './failover.ts'
import { createLimits } from './limits.ts'
import type { RpcAnswer, RpcCall } from './readReply.ts'

/** An endpoint that gives these answers, one to each request, and fails where none is given. */
function createNode(answers: readonly (RpcAnswer | undefined)[]) {
  const left = [...answers]
  const seen = { requests: 0 }
  const endpoint: Endpoint = {
    url: 'http://127.0.0.1:1',
    limits: createLimits({ now: () => 0 }),
    waitMs: () => 0,
    isBusy: () => true,
    async send() {
      seen.requests += 1
      return { answers: [left.shift()], trouble: { kind: 'network' } }
    },
    otherChain: () => undefined,
    close: () => undefined,
  }
  return { endpoint, seen }
}
/** One that takes all calls, and what it was sent, request by request. */
function createTaking() {
  const sent: string[][] = []
  const taking: Endpoint = {
    ...createNode([]).endpoint,
    async send(calls) {
      sent.push(calls.map(({ method }) => method))
      return { answers: calls.map(() => ({ result: '0x' })), trouble: { kind: 'network' } }
    },
  }
  return { sent, failover: createFailover({ endpoints: [taking], blockTimeMs: 2_000 }) }
}
const head = (number: number) => ({ result: `0x${number.toString(16)}` })
const waiting = { isFirst: true, patienceMs: 1_000, blockPatienceMs: 0 }

const s = suite('calls spread over endpoints')

s('leaves one that lags behind to its like, and comes back to it [nodes/lag-choice]', async () => {
  const first = createNode([undefined, head(100), head(130), head(131)])
  const second = createNode([head(128), head(129)])
  const endpoints = [first.endpoint, second.endpoint]
  const failover = createFailover({ endpoints, blockTimeMs: 2_000 })
  const ask = async () => {
    const outcome = await failover.call({ method: 'eth_blockNumber', params: [] }, waiting)
    return outcome.status === 'answered' && 'result' in outcome.answer && outcome.answer.result
  }
  try {
    // The first fails; asked again, it is 28 blocks behind what the second has told.
    assert.equal([await ask(), await ask(), await ask()], ['0x80', '0x64', '0x81'])
    // Where the second has no answer the first has one, and has caught up.
    assert.equal([await ask(), await ask()], ['0x82', '0x83'])
    assert.is(second.seen.requests, 3)
  } finally {
    failover.close()
  }
})
s('asks one that is preferred before those that stand before it [nodes/preferred]', async () => {
  const [first, second] = [createNode([head(1), head(1)]), createNode([head(1), undefined])]
  const endpoints = [first.endpoint, second.endpoint]
  const failover = createFailover({ endpoints, blockTimeMs: 2_000 })
  const ask = () => failover.call({ method: 'eth_blockNumber', params: [] }, waiting)
  try {
    await ask()
    failover.prefer(second.endpoint)
    failover.prefer(first.endpoint)
    await ask()
    assert.equal([first.seen.requests, second.seen.requests], [1, 1])
    // It fails: the others are there.
    await ask()
    assert.equal([first.seen.requests, second.seen.requests], [2, 2])
  } finally {
    failover.close()
  }
})
s(
  'sends what a stranger may make long by itself: none of its turn waits for it [nodes/dry-run-alone]',
  async () => {
    const { sent, failover } = createTaking()
    try {
      const strangers = ['eth_simulateV1', 'eth_estimateGas', 'eth_getTransactionReceipt']
      const methods = ['eth_getCode', ...strangers, 'eth_getBalance']
      await Promise.all(methods.map((method) => failover.call({ method, params: [] }, waiting)))
      assert.equal(sent, [['eth_getCode', 'eth_getBalance'], ...strangers.map((one) => [one])])
    } finally {
      failover.close()
    }
  },
)

s('has nobody who reads a word wait for code that others have run [17/read-apart]', async () => {
  const { sent, failover } = createTaking()
  try {
    const methods = ['eth_call', 'eth_getStorageAt', 'eth_call', 'eth_getCode']
    const last = { ...waiting, isFirst: false }
    await Promise.all(methods.map((method) => failover.call({ method, params: [] }, last)))
    assert.equal(sent, [
      ['eth_call', 'eth_call'],
      ['eth_getStorageAt', 'eth_getCode'],
    ])
  } finally {
    failover.close()
  }
})

s('has what comes first wait for nothing else of its turn [17/first-apart]', async () => {
  const { sent, failover } = createTaking()
  try {
    const ask = (method: string, isFirst: boolean) =>
      failover.call({ method, params: [] }, { ...waiting, isFirst })
    await Promise.all([
      ask('eth_call', false),
      ask('eth_sendRawTransaction', true),
      ask('eth_call', true),
      ask('eth_call', false),
    ])
    assert.equal(sent, [
      ['eth_sendRawTransaction', 'eth_call'],
      ['eth_call', 'eth_call'],
    ])
  } finally {
    failover.close()
  }
})

s(
  'asks for logs by themselves, one by one where the answer to some is too long [17/stuffed-apart]',
  async () => {
    const sent: string[] = []
    const { endpoint } = createNode([])
    const taking: Endpoint = {
      ...endpoint,
      async send(calls) {
        sent.push(calls.map(({ method }) => method.slice(4)).join())
        const isLong = calls.length > 2
        const kind = isLong ? 'answer_too_large' : 'network'
        return { answers: calls.map(() => (isLong ? undefined : head(1))), trouble: { kind } }
      },
    }
    const failover = createFailover({ endpoints: [taking], blockTimeMs: 2_000 })
    try {
      const methods = ['getLogs', 'call', 'getLogs', 'call', 'getLogs']
      await Promise.all(
        methods.map((name) => failover.call({ method: `eth_${name}`, params: [] }, waiting)),
      )
      const alone = ['getLogs', 'getLogs', 'getLogs']
      assert.equal(sent, [alone.join(), 'call,call', ...alone])
    } finally {
      failover.close()
    }
  },
)

s('asks another one for a block below the head that one lacks [teeth/failover-below]', async () => {
  const first = createNode([head(128), { result: null }])
  const second = createNode([{ result: { number: '0x80' } }])
  const failover = createFailover({
    endpoints: [first.endpoint, second.endpoint],
    blockTimeMs: 2_000,
  })
  await failover.call({ method: 'eth_blockNumber', params: [] }, waiting)
  const block: RpcCall = { method: 'eth_getBlockByNumber', params: ['0x80', false] }
  const outcome = await failover.call(block, waiting)
  const answer = { result: { number: '0x80' } }
  assert.equal(outcome, { status: 'answered', answer, from: second.endpoint })
})
s.run()
