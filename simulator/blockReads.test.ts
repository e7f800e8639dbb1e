import { assert, suite } from '../fixtures/test.ts'
import { createBlockReads } from './blockReads.ts'
import { type RpcCall, type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'

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
s.run()
