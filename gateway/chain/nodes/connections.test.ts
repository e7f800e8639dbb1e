import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChain } from '../chains.ts'
import { createChainClient } from '../client.ts'
import { createConnections } from './connections.ts'
import { createEndpoint } from './endpoint.ts'
import { createFailover } from './failover.ts'

const s = suite('connections to a node')
/** Of each kind. */
const connections = 8
/** Each in a request of its own: what reads, and what has the node run code. */
const [reading, running] = ['eth_getTransactionReceipt', 'eth_estimateGas']

type Body = { readonly id: number; readonly method: string }

/** A node that answers nobody until it is told to, and whoever asks it. */
async function startHolding() {
  const arrivals = new EventEmitter()
  const held: { readonly methods: string; answer(): void; fail(): void }[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const calls = [JSON.parse(Buffer.concat(chunks).toString()) as Body | readonly Body[]].flat()
    const answers = calls.map(({ id }) => ({ id, result: null }))
    held.push({
      methods: calls.map(({ method }) => method).join(),
      answer: () => res.end(JSON.stringify(answers)),
      fail: () => res.destroy(),
    })
    arrivals.emit('held')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const endpoint = createEndpoint({ url, timeoutMs: 5_000, maxResponseBytes: 1_000 })
  const failover = createFailover({ endpoints: [endpoint], blockTimeMs: 2_000 })
  const waiting = { patienceMs: 60_000, blockPatienceMs: 0 }
  return {
    url,
    held,
    ask(method: string, isFirst = false) {
      void failover.call({ method, params: [] }, { ...waiting, isFirst })
    },
    /** What it has been sent, once those are so many requests. */
    async sent(requests: number) {
      while (held.length < requests) await once(arrivals, 'held')
      return held.map(({ methods }) => methods)
    },
    async [Symbol.asyncDispose]() {
      failover.close()
      endpoint.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

s('have those who come first before all who have waited longer [nodes/connections]', async () => {
  await using node = await startHolding()
  for (let call = 0; call <= connections; call += 1) node.ask(reading)
  await node.sent(connections)
  node.ask('eth_blockNumber', true)
  node.held[0]?.answer()
  assert.is((await node.sent(connections + 1)).at(-1), 'eth_blockNumber')
})

s('are free for what reads while code runs over all of its own [17/read-connections]', async () => {
  await using node = await startHolding()
  for (let call = 0; call <= connections; call += 1) node.ask(running)
  await node.sent(connections)
  node.ask('eth_getStorageAt')
  assert.is((await node.sent(connections + 1)).at(-1), 'eth_getStorageAt')
})

s("are waited for before a call's step in a trace, its caller's [nodes/call-span]", async () => {
  await using node = await startHolding()
  const caller = new AsyncLocalStorage<number>()
  const begun: (number | undefined)[] = []
  const note = () => void begun.push(caller.getStore())
  const { start } = tracingChannel('forkyard.rpc')
  start.subscribe(note)
  try {
    const callers = Array.from({ length: connections + 1 }, (_, index) => index)
    for (const each of callers) caller.run(each, () => node.ask(reading))
    await node.sent(connections)
    assert.equal(begun, callers.slice(0, -1))
    node.held[0]?.answer()
    await node.sent(connections + 1)
    assert.equal(begun, callers)
  } finally {
    start.unsubscribe(note)
  }
})

s('of a node that rests are none: who waits for one has not been sent [nodes/unsent]', async () => {
  await using node = await startHolding()
  for (let call = 0; call <= connections; call += 1) node.ask(reading)
  await node.sent(connections)
  const failedAtMs = performance.now()
  node.held[0]?.fail()
  await node.sent(connections + 1)
  const restedMs = performance.now() - failedAtMs
  assert.ok(restedMs >= 50, `${restedMs} ms`)
})

s('of which there are none for too long are no fault of the node [nodes/unsent]', async () => {
  const chain = getChain(8453)
  if (!chain) throw new Error('chain 8453 is built in')
  await using node = await startHolding()
  const client = createChainClient({ chain, rpcUrls: [node.url] })
  try {
    const ask = () => client.askEach([{ method: reading, params: [] }], 'simulation')
    for (let call = 0; call < connections; call += 1) void ask()
    await node.sent(connections)
    assert.is(await ask(), 'unsent')
    assert.is(node.held.length, connections)
  } finally {
    client.close()
  }
})

s('tell each of those who wait first in its turn [nodes/connections]', async () => {
  const told: string[] = []
  const { onFree, hold } = createConnections({ now: () => 0 })
  for (const name of ['one', 'other']) onFree(() => told.push(name))
  for (let request = 0; request < 2; request += 1) await hold(undefined, async () => undefined)
  assert.equal(told, ['other', 'one', 'one', 'other'])
})
s.run()
