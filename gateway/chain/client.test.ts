import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BaseError, encodeErrorResult, numberToHex, parseAbi } from 'viem'
import { call, getBalance, getBlockNumber, getChainId } from 'viem/actions'
import { assert, suite } from '../../fixtures/test.ts'
import { getChain } from './chains.ts'
import { ChainUnavailable, createChainClient, isCausedBy, WrongChain } from './client.ts'

type Handler = (calls: readonly RpcBody[], res: ServerResponse) => void
type RpcBody = { readonly id: number; readonly method: string }

const canary = 'canary0123456789secret'
const closers: (() => void)[] = []

async function startNode(handler: Handler) {
  const seen: RpcBody[][] = []
  const server = createServer(async (req: IncomingMessage, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const calls: RpcBody[] = Array.isArray(body) ? body : [body]
    seen.push(calls)
    handler(calls, res)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v2/${canary}`, seen }
}

function answer(result: unknown): Handler {
  return (calls, res) => {
    const bodies = calls.map(({ id }) => ({ jsonrpc: '2.0', id, result }))
    res.end(JSON.stringify(bodies.length === 1 ? bodies[0] : bodies))
  }
}

function connect(
  rpcUrls: readonly string[],
  options: {
    maxResponseBytes?: number
    trust?: 'blind' | 'shown'
    wsUrl?: string
    timeoutMs?: number
  } = {},
) {
  const chain = getChain(8453)
  if (!chain) throw new Error('chain 8453 is built in')
  const client = createChainClient({ chain, rpcUrls, timeoutMs: 30_000, ...options })
  closers.push(client.close)
  return client
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('expected a failure')
}

/** Everything an error would show if somebody printed it with its causes. */
function printed(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return [
    error.stack,
    JSON.stringify(error, Object.getOwnPropertyNames(error)),
    printed(error.cause),
  ].join('\n')
}

const s = suite('chain client')

s('sends the calls of one turn of the event loop as one batch', async () => {
  const node = await startNode(answer('0x2105'))
  const { client } = connect([node.url])
  assert.equal(await Promise.all([getChainId(client), getBlockNumber(client)]), [8453, 8453n])
  assert.is(node.seen.length, 1)
})

s("a fork's question for the head does not wait for the long calls of its turn", async () => {
  const node = await startNode((calls, res) => {
    if (calls.every(({ method }) => method === 'eth_blockNumber')) answer('0x10')(calls, res)
  })
  const { client, askEach } = connect([node.url], { timeoutMs: 2_000 })
  const long = failureOf(getBalance(client, { address: `0x${'11'.repeat(20)}` }))
  const head = await askEach([{ method: 'eth_blockNumber', params: [] }], 'sync')
  assert.equal(head, [{ result: '0x10' }])
  await long
})

s('asks the next upstream when the first one hangs, and leaves the first one alone', async () => {
  const hanging = await startNode(() => undefined)
  const healthy = await startNode(answer('0x10'))
  const { client } = connect([hanging.url, healthy.url], { timeoutMs: 300 })
  assert.is(await getBlockNumber(client), 16n)
  await getBlockNumber(client)
  assert.is(healthy.seen.length >= 1, true)
  assert.is(hanging.seen.length <= 2, true)
})

s('waits as long as Retry-After says when there is no other upstream', async () => {
  let first = true
  const node = await startNode((calls, res) => {
    if (!first) return answer('0x10')(calls, res)
    first = false
    res.writeHead(429, { 'retry-after': '1' }).end()
  })
  const { client } = connect([node.url])
  const started = performance.now()
  assert.is(await getBlockNumber(client), 16n)
  assert.ok(performance.now() - started >= 950)
})

s('fails over when a single call of a batch is told to slow down [nodes/each-alone]', async () => {
  const busy = await startNode((calls, res) => {
    const error = { code: -32005, message: `limit exceeded for ${canary}` }
    res.end(
      JSON.stringify(calls.map(({ id }) => (id === 0 ? { id, error } : { id, result: '0x1' }))),
    )
  })
  const healthy = await startNode(answer('0x2'))
  const { client } = connect([busy.url, healthy.url])
  assert.equal(await Promise.all([getBlockNumber(client), getChainId(client)]), [2n, 1])
})

s('refuses redirects, garbage, missing ids and answers over the size cap', async () => {
  const nodes: Handler[] = [
    (_, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    (_, res) => res.end('<html>'),
    (_, res) => res.end(JSON.stringify({ jsonrpc: '2.0', id: 99, result: '0x1' })),
    (_, res) => res.socket?.destroy(),
  ]
  const long = await startNode(answer('x'.repeat(5_000)))
  const short = connect([long.url], { maxResponseBytes: 1_000 })
  assert.match(printed(await failureOf(getBlockNumber(short.client))), /response too large/)
  for (const handler of nodes) {
    const node = await startNode(handler)
    const { client } = connect([node.url], { maxResponseBytes: 1_000 })
    const error = await failureOf(getBlockNumber(client))
    assert.ok(
      error instanceof BaseError && error.walk((cause) => cause instanceof ChainUnavailable),
    )
  }
})

s('never shows a URL or a key, whatever the upstream answers', async () => {
  const echo = await startNode((calls, res) => {
    const message = `bad key ${canary} at http://127.0.0.1/v2/${canary}`
    res.end(JSON.stringify({ id: calls[0]?.id, error: { code: -32000, message } }))
  })
  const dead = `http://127.0.0.1:9/v2/${canary}`
  for (const urls of [[echo.url], [dead], ['http://user:hunter2hunter2@127.0.0.1:9/']]) {
    const error = await failureOf(getBlockNumber(connect(urls).client))
    assert.not.match(printed(error), /canary|hunter2|127\.0\.0\.1:\d/)
  }
  assert.not.match(
    printed(await failureOf((async () => connect([`ftp://x/${canary}`]))())),
    /canary/,
  )
})

s('refuses a node of another chain', async () => {
  const node = await startNode(answer('0x1'))
  assert.instance(await failureOf(connect([node.url]).checkChainId()), WrongChain)
})

s('asks a node that has not shown its chain for nothing else, where it is told to', async () => {
  let said = '0x1'
  const methods = (node: { seen: readonly RpcBody[][] }) => node.seen.flat().map((c) => c.method)
  const answerChain: Handler = (calls, res) =>
    answer(calls[0]?.method === 'eth_chainId' ? said : '0x10')(calls, res)
  const other = await startNode(answerChain)
  const right = await startNode((calls, res) =>
    answer(calls[0]?.method === 'eth_chainId' ? '0x2105' : '0x11')(calls, res),
  )
  const both = connect([other.url, right.url], { trust: 'shown' })
  assert.is(await getBlockNumber(both.client), 17n)
  assert.is(both.otherChain(), 1)
  const alone = connect([other.url], { trust: 'shown' })
  assert.ok(isCausedBy(await failureOf(getBlockNumber(alone.client)), WrongChain))
  assert.equal([...new Set(methods(other))], ['eth_chainId'])
  said = '0x2105'
  assert.is(await getBlockNumber(alone.client), 16n)
  assert.is(alone.otherChain(), undefined)
})

s(
  'starts with those of several nodes that are of its chain, and names the others [nodes/strays]',
  async () => {
    const other = await startNode(answer('0x1'))
    const right = await startNode(answer('0x2105'))
    for (const [urls, places] of [
      [[other.url, right.url], [1]],
      [[right.url, other.url], [2]],
      [[right.url, right.url], []],
    ] as const) {
      const client = connect(urls, { trust: 'shown' })
      await client.checkChainId()
      const strays = places.map((place) => ({ place, actual: 1 }))
      assert.equal(await client.findStrays(), strays)
    }
    const none = connect([other.url, other.url], { trust: 'shown' })
    assert.ok(isCausedBy(await failureOf(none.checkChainId()), WrongChain))
  },
)

s(
  'waits for those that are away, or busy, beside one that serves another chain [nodes/strays-away]',
  async () => {
    const refuseAll: readonly Handler[] = [
      (_, res) => res.socket?.destroy(),
      (_, res) => res.writeHead(429).end(),
    ]
    for (const refuse of refuseAll) {
      let handle = refuse
      const other = await startNode(answer('0x1'))
      const right = await startNode((calls, res) => handle(calls, res))
      const client = connect([other.url, right.url], { trust: 'shown' })
      const failed = await failureOf(client.checkChainId())
      assert.ok(isCausedBy(failed, ChainUnavailable), String(failed))
      assert.is(client.otherChain(), 1)
      handle = answer('0x2105')
      await client.checkChainId()
      assert.equal(await client.findStrays(), [{ place: 1, actual: 1 }])
    }
  },
)

s(
  'pins no read of all upstreams to a block that one told its witness of [nodes/block-witness]',
  async () => {
    const chain = getChain(8453)
    if (!chain) throw new Error('chain 8453 is built in')
    const hashOf = (n: number) => numberToHex(n, { size: 32 })
    const pins: (string | undefined)[] = []
    let opened = 0
    const { client, witnesses, as, close } = createChainClient({
      chain,
      rpcUrls: ['http://127.0.0.1:9/', 'http://127.0.0.1:9/'],
      alterSend() {
        opened += 1
        const block = {
          number: '0x64',
          hash: hashOf(opened),
          parentHash: hashOf(9),
          timestamp: '0x1',
        }
        return async (calls) => ({
          trouble: { kind: 'bad_answer' },
          answers: calls.map(({ method, blockHash }) => {
            if (method === 'eth_call') pins.push(blockHash)
            return { result: method === 'eth_getBlockByNumber' ? block : '0x' }
          }),
        })
      },
    })
    closers.push(close)
    const second = witnesses?.[1]
    if (!second) throw new Error('each upstream has a witness')
    const ask = async (of: typeof client) => {
      await of.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
    }
    const read = async (of: typeof client) => {
      await of.request({ method: 'eth_call', params: [{ data: '0x' }, '0x64'] })
    }
    await ask(second)
    await read(client)
    await read(second)
    await ask(client)
    await read(client)
    // Whoever holds what is followed against the chain reads the same block; who quotes, any in its place.
    await read(as('audit').client)
    await read(as('relay').client)
    assert.equal(pins, [undefined, hashOf(2), hashOf(1), hashOf(1), undefined])
  },
)

s(
  'names the others than who has told of something, or than who is asked first [nodes/others]',
  async () => {
    const chain = getChain(8453)
    if (!chain) throw new Error('chain 8453 is built in')
    const away = new Set<number>()
    let opened = 0
    const { client, witnesses, others, tellerOf, as, close } = createChainClient({
      chain,
      rpcUrls: [1, 2, 3].map((port) => `http://127.0.0.1:${port}/`),
      alterSend() {
        const own = opened
        opened += 1
        return async (calls) => ({
          trouble: { kind: 'network' },
          answers: calls.map(() => (away.has(own) ? undefined : { result: [] })),
        })
      },
    })
    closers.push(close)
    const placesOf = (told?: object) =>
      others?.(told).map((other) => witnesses?.indexOf(other.client))
    const ask = () => client.request({ method: 'eth_getLogs', params: [{}] })
    const byFirst = await ask()
    assert.equal(
      [placesOf(), placesOf(byFirst)],
      [
        [1, 2],
        [1, 2],
      ],
    )
    away.add(0)
    const bySecond = await ask()
    assert.equal(
      [placesOf(), placesOf(bySecond)],
      [
        [1, 2],
        [0, 2],
      ],
    )
    others?.()[1]?.prefer()
    assert.equal(
      [placesOf(), placesOf(byFirst), placesOf(bySecond)],
      [
        [0, 1],
        [2, 1],
        [2, 0],
      ],
    )
    const teller = tellerOf?.(bySecond)
    assert.equal(placesOf(teller), [2, 0])
    assert.is(as('audit').others?.(teller).length, 2)
    assert.is(tellerOf?.({}), undefined)
    assert.is(connect(['http://127.0.0.1:9/']).others, undefined)
  },
)

s('takes a socket for heads by its own kind of URL', () => {
  for (const wsUrl of [
    'https://one.example/',
    'wss://169.254.169.254/',
    'wss://one.example/#a',
    canary,
  ])
    assert.throws(() => connect(['http://127.0.0.1:9/'], { wsUrl }), /^an RPC URL (must|points|is)/)
})

s('refuses link-local addresses in every spelling', () => {
  for (const host of [
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '[::ffff:169.254.1.1]',
    '[fe80::1]',
  ])
    assert.throws(() => connect([`http://${host}/latest`]), /link-local/)
})

s.after(() => {
  for (const close of closers) close()
})
s('fetches nothing from where a contract says that its answer is [attack/ccip-read]', async () => {
  const to = '0x00000000000000000000000000000000000000aa'
  let fetched = 0
  const gateway = createServer((_, res) => {
    fetched += 1
    res.end('{"data":"0x01"}')
  })
  await new Promise<void>((resolve) => {
    gateway.listen(0, '127.0.0.1', resolve)
  })
  closers.push(() => void gateway.close())
  const { port } = gateway.address() as AddressInfo
  const data = encodeErrorResult({
    abi: parseAbi(['error OffchainLookup(address, string[], bytes, bytes4, bytes)']),
    args: [to, [`http://127.0.0.1:${port}/`], '0x', '0x00000000', '0x'],
  })
  const { url } = await startNode((calls, res) => {
    const error = { code: 3, message: 'execution reverted', data }
    const bodies = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }))
    res.end(JSON.stringify(bodies.length === 1 ? bodies[0] : bodies))
  })
  const { client } = connect([url])
  const said = await call(client, { to }).then(
    () => 'answered',
    (error: unknown) => error,
  )
  assert.instance(said, BaseError)
  assert.is(fetched, 0)
})

s.run()
