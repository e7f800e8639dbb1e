import { assert, suite } from '../fixtures/test.ts'
import {
  type RpcCall,
  type RpcEndpoint,
  type RpcFault,
  type RpcOutcome,
  RpcTransportError,
} from './rpc/rpcBatch.ts'
import { runIsolated } from './runIsolated.ts'
import { told } from './testing/answers.ts'

const s = suite('simulator/runIsolated')
const callsOf = (count: number): readonly RpcCall[] =>
  Array.from({ length: count }, (_, n) => ({ method: `call ${n}`, params: [] }))
const namesOf = (calls: readonly RpcCall[]) => calls.map(({ method }) => told(method))
const turn = () => new Promise(setImmediate)

/** A fork on which each batch ends as `answer` says; by itself, with the names of its calls. */
function open({
  answer = async (calls) => namesOf(calls),
  remainingMs = () => 60_000,
  signal,
}: {
  answer?: (calls: readonly RpcCall[]) => Promise<readonly RpcOutcome[]>
  remainingMs?: () => number
  signal?: AbortSignal
} = {}) {
  const asked: (readonly [count: number, limits: Parameters<RpcEndpoint['batch']>[1]])[] = []
  let stuck = 0
  const rpc: RpcEndpoint = {
    batch(calls, limits) {
      asked.push([calls.length, limits])
      return answer(calls)
    },
    close: async () => undefined,
  }
  const onStuck = () => {
    stuck += 1
  }
  return {
    asked,
    sizes: () => asked.map(([count]) => count),
    stuck: () => stuck,
    run: (calls: readonly RpcCall[]) =>
      runIsolated({ rpc, onStuck, remainingMs }, { calls, signal }),
  }
}
const spoil = (fault: RpcFault) => Promise.reject(new RpcTransportError(fault))
const inBatch = { timeoutMs: 700, maxBytes: 2 * 1024 * 1024 }
const alone = { timeoutMs: 1_800, maxBytes: 512 * 1024 }

s('runs sixteen at a time, in the order in which they were given [teeth/isolated]', async () => {
  const { signal } = new AbortController()
  const { run, sizes, asked } = open({ signal })
  const calls = callsOf(34)
  assert.equal(await run(calls), namesOf(calls))
  assert.equal(sizes(), [16, 16, 2])
  assert.equal(asked[0]?.[1], { ...inBatch, signal })
  assert.equal(await run([]), [])
  assert.is(asked.length, 3)
})
s('runs one that is by itself as such, at once [teeth/isolated]', async () => {
  const { run, asked } = open()
  assert.equal(await run(callsOf(1)), [told('call 0')])
  assert.equal(asked, [[1, { ...alone, signal: undefined }]])
})
s(
  "gives each its own verdict where one has spoilt the others' batch [teeth/isolated]",
  async () => {
    for (const [fault, stuck] of [
      ['timeout', 1],
      ['too_large', 0],
    ] as const) {
      const opened = open({
        answer: async (calls) =>
          calls.some(({ method }) => method === 'call 1') ? spoil(fault) : namesOf(calls),
      })
      assert.equal(await opened.run(callsOf(3)), [told('call 0'), fault, told('call 2')])
      assert.equal(opened.sizes(), [3, 1, 1, 1])
      assert.is(opened.stuck(), stuck, fault)
      assert.equal(opened.asked.at(-1)?.[1], { ...alone, signal: undefined })
    }
  },
)
s('goes on with the next batch while those of one are run alone [teeth/isolated]', async () => {
  const gate = Promise.withResolvers<void>()
  const { run, sizes } = open({
    async answer(calls) {
      if (calls.length === 16) return spoil('timeout')
      if (calls.length === 1) await gate.promise
      return namesOf(calls)
    },
  })
  const calls = callsOf(18)
  const running = run(calls)
  await turn()
  assert.equal(sizes(), [16, ...Array.from({ length: 16 }, () => 1), 2])
  gate.resolve()
  assert.equal(await running, namesOf(calls))
})
s('waits no longer than there is time, and asks nothing without any [teeth/isolated]', async () => {
  let leftMs = 3
  const { run, asked, stuck } = open({ remainingMs: () => leftMs })
  await run(callsOf(2))
  await run(callsOf(1))
  assert.equal(
    asked.map(([, { timeoutMs }]) => timeoutMs),
    [3, 3],
  )
  for (const none of [0, -1]) {
    leftMs = none
    assert.equal(await run(callsOf(2)), ['timeout', 'timeout'])
    assert.equal(await run(callsOf(1)), ['timeout'])
  }
  leftMs = 1
  await run(callsOf(2))
  await run(callsOf(1))
  // What was not begun is stuck nowhere.
  assert.equal([asked.length, stuck()], [4, 0])
})
s('ends where the fork does, or whoever asked has gone [teeth/isolated]', async () => {
  for (const count of [1, 2])
    for (const error of [
      new RpcTransportError('connection'),
      new RpcTransportError('aborted'),
      new Error('a mistake of ours'),
    ]) {
      const { run, stuck } = open({ answer: () => Promise.reject(error) })
      assert.is(await run(callsOf(count)).catch((thrown: unknown) => thrown), error)
      assert.is(stuck(), 0)
    }
})
s.run()
