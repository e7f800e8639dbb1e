import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Fault } from '../../../fixtures/nodes/profile.ts'
import { startNode } from '../../../fixtures/nodes/start/startNode.ts'
import { createTinyChain } from '../../../fixtures/nodes/testing/createTinyChain.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { openHeadSocket, readToldHead } from './headSocket.ts'

const s = suite('heads that a node pushes')
const patient = { deadlineMs: 30_000, everyMs: 30 }

async function start(faults: readonly Fault[] = [], chainId = 8453) {
  const upstream = createTinyChain({ head: 100 })
  const node = await startNode({ profile: 'own-nitro', upstream, faults })
  const counted: string[] = []
  const url = node.wsUrl ?? ''
  const heads = openHeadSocket({ url, chainId, count: (method) => counted.push(method) })
  return {
    node,
    heads,
    counted,
    upstream,
    /** Blocks come until one of them is told of. */
    mineUntilTold: (what: string, from = 0) =>
      waitFor(
        what,
        () => {
          upstream.mine()
          return (heads.told()?.number ?? 0) > from
        },
        patient,
      ),
    async [Symbol.asyncDispose]() {
      heads.close()
      await node.close()
    },
  }
}

s('are heard, and each is counted [nodes/heads-told]', async () => {
  await using socket = await start()
  let heard = 0
  const stop = socket.heads.listen(() => {
    heard += 1
  })
  await socket.mineUntilTold('a head is told of', 102)
  stop()
  assert.equal(socket.counted.slice(0, 3), ['eth_chainId', 'eth_subscribe', 'eth_subscription'])
  assert.is(socket.counted.length, 2 + heard)
  assert.match(socket.heads.told()?.hash ?? '', /^0x[0-9a-f]{64}$/)
})

s('are not heard of a node of another chain [nodes/heads-chain]', async () => {
  await using socket = await start([], 42_161)
  await waitFor(
    'heads are pushed',
    () => {
      socket.upstream.mine()
      return socket.node.counters().pushes > 3
    },
    patient,
  )
  // Whatever was pushed before comes before the socket's end.
  socket.node.inject({ kind: 'closeSocket', code: 1001 })
  await waitFor(
    'the socket was cut and opened again',
    () => {
      socket.upstream.mine()
      return socket.node.counters().sockets > 1
    },
    patient,
  )
  assert.equal([...new Set(socket.counted)], ['eth_chainId', 'eth_subscribe'])
})

s('may come late: the highest is known all the same [nodes/heads-order]', async () => {
  await using socket = await start([{ kind: 'headLate', nth: [2] }])
  let isLate = false
  socket.heads.listen(() => {
    const { number, highest } = socket.heads.told() ?? { number: 0, highest: 0 }
    isLate ||= highest > number
  })
  await waitFor(
    'a head is told after its child',
    () => {
      socket.upstream.mine()
      return isLate
    },
    patient,
  )
})

s(
  'are subscribed to anew where a node has dropped that without a word [nodes/heads-dropped]',
  async () => {
    await using socket = await start([{ kind: 'dropSubscriptions', nth: [1] }])
    await socket.mineUntilTold('the first is told of')
    await waitFor(
      'the subscription is gone',
      () => socket.node.counters().faults['dropSubscriptions'] === 1,
      patient,
    )
    const { number = 0 } = socket.heads.told() ?? {}
    socket.heads.doubt()
    await waitFor('what was told is forgotten', () => socket.heads.told() === undefined, patient)
    await socket.mineUntilTold('another is told of', number)
    assert.is(socket.node.counters().sockets, 2)
  },
)

s('go on after the socket was cut [nodes/heads-dropped]', async () => {
  await using socket = await start([{ kind: 'closeSocket', code: 1006, nth: [1] }])
  await waitFor(
    'the socket was cut and opened again',
    () => {
      socket.upstream.mine()
      return socket.node.counters().sockets === 2
    },
    patient,
  )
  await socket.mineUntilTold('another is told of', socket.upstream.head())
})

s('are heard no more where more come than any chain makes [nodes/heads-flood]', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const connected = once(server, 'connection')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clock = { ms: 0, perMessageMs: 20 }
  let pushes = 0
  const heads = openHeadSocket({
    url: `ws://127.0.0.1:${port}`,
    chainId: 8453,
    count: (method) => {
      if (method === 'eth_subscription') pushes += 1
    },
    now: () => {
      clock.ms += clock.perMessageMs
      return clock.ms
    },
  })
  try {
    const [socket] = (await connected) as [WebSocket]
    const closed = once(socket, 'close')
    socket.send(JSON.stringify({ id: 2, result: '0x2105' }))
    const push = (count: number) => {
      for (let number = 1; number <= count; number++) {
        const result = { number: `0x${number.toString(16)}`, hash: '0xab' }
        socket.send(JSON.stringify({ method: 'eth_subscription', params: { result } }))
      }
    }
    push(300)
    await waitFor('50 a second are heard for long', () => pushes === 300, patient)
    clock.perMessageMs = 1
    push(2_000)
    await closed
    assert.ok(pushes > 300 && pushes <= 400, `${pushes}`)
    await waitFor('what was told is forgotten', () => heads.told() === undefined, patient)
  } finally {
    heads.close()
    server.close()
  }
})

s('are none of what else a socket may say', () => {
  const told = (result: unknown) => ({
    method: 'eth_subscription',
    params: { subscription: '0x1', result },
  })
  assert.equal(readToldHead(told({ number: '0x10', hash: '0xab' })), { number: 16, hash: '0xab' })
  for (const message of [
    { id: 1, result: '0x1' },
    { id: 1, error: { code: -32601, message: 'no' } },
    null,
    undefined,
    [],
    told(null),
    told({ number: 16, hash: '0xab' }),
    told({ number: '0xzz', hash: '0xab' }),
    told({ number: '0x10' }),
    told({ number: `0x${'f'.repeat(20)}`, hash: '0xab' }),
  ])
    assert.is(readToldHead(message), undefined)
})
s.run()
