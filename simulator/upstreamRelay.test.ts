import { assert, suite } from '../fixtures/test.ts'
import type { RpcCall, RpcOutcome } from './rpc/rpcBatch.ts'
import { addressOf, refused, told } from './testing/answers.ts'
import type { BlockId, Upstream, UpstreamPurpose } from './upstream.ts'
import { createUpstreamRelay, type UpstreamRelay } from './upstreamRelay.ts'

const s = suite('simulator/upstreamRelay')
const pool = `0x${'a1'.repeat(20)}`
const blocks: readonly BlockId[] = [1n, 2n, 3n].map((blockNumber) => ({
  blockNumber,
  blockHash: `0x${blockNumber}`,
  timestampSecs: 1_700_000_000n + blockNumber,
}))
const asked: RpcCall[] = []
const upstream: Upstream = {
  readHead: async () => ({ blockNumber: 3n, blockHash: '0x3', timestampSecs: 1_700_000_003n }),
  readBlock: async () => undefined,
  readChainId: async () => 8453,
  send: async (calls) => {
    asked.push(...calls)
    return calls.map(() => ({ ok: true, result: '0x01' }))
  },
  sendApart: async () => [],
  sendToFirst: async () => 'unsent',
  isAnswering: () => true,
  close: async () => {},
}
let nowMs = 0
const relay = createUpstreamRelay({ upstream, findHost: async () => '127.0.0.1', now: () => nowMs })
s.after(() => relay.close())

/** The doors of a fork that is warm. */
async function openWarm({ open }: UpstreamRelay) {
  const { forFork, slowUrl } = await open()
  const { url, warmed } = forFork()
  warmed()
  return { url, slowUrl }
}
/** A fork reads a slot of the pool. */
async function read(url: string, slot: string): Promise<unknown> {
  const body = JSON.stringify(slotOf(slot))
  const answer = await fetch(url, { method: 'POST', body })
  return ((await answer.json()) as { result?: unknown }).result
}
const slotOf = (slot: string, of: string = pool) => ({
  jsonrpc: '2.0',
  id: slot,
  method: 'eth_getStorageAt',
  params: [of, slot, '0x1'],
})

/** How many calls a fork of a block makes ahead of anybody's question. */
async function countAhead(block: BlockId | undefined): Promise<number> {
  if (!block) throw new Error('there are three')
  const before = asked.length
  await relay.prefetch(block)
  return asked.length - before
}

s(
  'fetches ahead while somebody simulates, and nothing while nobody does [strangers/idle-prefetch]',
  async () => {
    const { url } = await openWarm(relay)
    relay.used([])
    // A fork reads a slot that is not known yet.
    assert.is(await read(url, '0x1'), '0x01')
    const [first, second, third] = blocks
    assert.ok((await countAhead(first)) > 0)
    nowMs += 29_000
    assert.ok((await countAhead(second)) > 0)
    nowMs += 1_000
    assert.equal(relay.hotAccounts(), [])
    assert.is(await countAhead(third), 0)
    // Whoever comes back finds it hot again.
    relay.used([])
    assert.ok((await countAhead(third)) > 0)
  },
)
s(
  'is not fed by its own warm-up, however often that reads what is hot [strangers/hot-own]',
  async () => {
    const { forFork } = await relay.open()
    const slots = () => relay.hotAccounts().flatMap((account) => account.slots)
    const { url: warmUrl } = await openWarm(relay)
    relay.used([])
    await read(warmUrl, '0x2')
    assert.ok(slots().includes('0x2'))
    const untilMs = nowMs + 130_000
    // A new fork every ten seconds, each of which is warmed up with all that is listed.
    while (nowMs < untilMs) {
      const { url, warmed } = forFork()
      for (const slot of slots()) await read(url, slot)
      warmed()
      nowMs += 10_000
      relay.used([])
    }
    assert.equal(slots(), [])
    // The first one without it is the last one that has to fetch it.
    await read(warmUrl, '0x2')
    assert.equal(slots(), ['0x2'])
  },
)

const closings: (() => Promise<void>)[] = []
s.after.each(async () => {
  for (const close of closings.splice(0)) await close()
})
type Given = {
  readonly answer?: (call: RpcCall) => RpcOutcome
  readonly findHost?: () => Promise<string>
}
function start({ answer = () => told('0x1'), findHost = async () => '127.0.0.1' }: Given = {}) {
  const sent: (readonly [readonly RpcCall[], UpstreamPurpose | undefined])[] = []
  const made = createUpstreamRelay({
    upstream: {
      ...upstream,
      async send(calls, purpose) {
        sent.push([calls, purpose])
        return calls.map(answer)
      },
    },
    findHost,
    knownTokens: ['0xAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAa'],
    now: () => 1_000,
  })
  closings.push(made.close)
  const post = (url: string, body: unknown) =>
    fetch(url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })
  return { made, sent, post }
}

s(
  "answers one call or many, in the words of the chain less its errors' data [teeth/relay-doors]",
  async () => {
    const { made, post } = start({
      answer({ params }) {
        if (params[1] === '0x2')
          return { ...refused('no such slot', -32000), data: 'se-cret' } as RpcOutcome
        return told(params[1] === '0x3' ? undefined : params[1])
      },
    })
    const { url } = await openWarm(made)
    const one = await post(url, slotOf('0x1'))
    assert.equal([one.status, one.headers.get('content-type')], [200, 'application/json'])
    assert.equal(await one.json(), { jsonrpc: '2.0', id: '0x1', result: '0x1' })
    const many = await post(url, [slotOf('0x2'), slotOf('0x3'), { id: 7, method: 'eth_syncing' }])
    assert.equal(await many.json(), [
      { jsonrpc: '2.0', id: '0x2', error: { code: -32000, message: 'no such slot' } },
      { jsonrpc: '2.0', id: '0x3', result: null },
      { jsonrpc: '2.0', id: 7, result: null },
    ])
  },
)
s('says that the chain does not answer where it does not [teeth/relay-doors]', async () => {
  const { made, post } = start({
    answer() {
      throw new Error('http://key@node')
    },
  })
  const { url } = await openWarm(made)
  const error = { code: -32603, message: 'the chain does not answer' }
  assert.equal(await (await post(url, [slotOf('0x1')])).json(), [
    { jsonrpc: '2.0', id: '0x1', error },
  ])
})
s('opens to nobody who does not know its doors [teeth/relay-doors]', async () => {
  const { made, sent, post } = start()
  const { url, slowUrl } = await openWarm(made)
  const { origin } = new URL(url)
  const secret = url.slice(0, -'/fork/0'.length)
  assert.equal([url, slowUrl], [`${secret}/fork/0`, `${secret}/slow`])
  const others = [origin, secret, `${secret}/fork`, `${slowUrl}x`, `${origin}/slow`]
  for (const other of [...others, `${origin}/fork/0`]) {
    const answer = await post(other, slotOf('0x1'))
    assert.equal([answer.status, await answer.text()], [404, ''], other)
  }
  for (const door of [url, slowUrl]) assert.is((await fetch(door)).status, 404)
  for (const garbled of ['', '{', 'null', '[1']) assert.is((await post(url, garbled)).status, 400)
  const most = 4 * 1024 * 1024
  const body = JSON.stringify(slotOf('0x1'))
  assert.is((await post(url, body.padEnd(most))).status, 200)
  const tooLarge = await post(url, body.padEnd(most + 1)).then(
    ({ status }) => status,
    () => 400,
  )
  assert.equal([tooLarge, sent.length], [400, 1])
})
s(
  'learns nothing of what comes through the slow door, and keeps none of it [teeth/relay-slow]',
  async () => {
    const { made, sent, post } = start()
    const { url, slowUrl } = await openWarm(made)
    made.used([])
    await made.prefetch({ blockNumber: 1n, blockHash: '0x1', timestampSecs: 1n })
    for (let n = 0; n < 2; n += 1) await post(slowUrl, slotOf('0x1'))
    assert.equal([sent.length, made.hotAccounts()], [2, []])
    for (let n = 0; n < 2; n += 1) await post(url, slotOf('0x1'))
    assert.is(sent.length, 3)
    assert.equal(made.hotAccounts(), [{ address: pool, slots: ['0x1'] }])
  },
)
s(
  'notes what a fork misses that is not warm yet, but for what its warm-up is to fetch [17/warm-late]',
  async () => {
    const { made, post } = start()
    made.used([])
    const { url, warmed } = (await made.open()).forFork()
    const [listed, other] = [addressOf('a'), addressOf('b')]
    const unfetched = [{ address: listed, slots: ['0x1'] }] as const
    await post(url, [slotOf('0x1', listed), slotOf('0x3', other)])
    assert.equal(made.hotAccounts(), [], 'it fetches what it is warmed up with')
    warmed(unfetched)
    const code = { id: 1, method: 'eth_getCode', params: [listed.toUpperCase(), '0x1'] }
    await post(url, [code, slotOf('0x1', listed)])
    assert.equal(made.hotAccounts(), [], 'it fetches that late')
    await post(url, [slotOf('0x2', listed), slotOf('0x1', other)])
    const missed = [
      { address: listed, slots: ['0x2'] },
      { address: other, slots: ['0x1'] },
    ]
    assert.equal(made.hotAccounts(), missed)
    warmed()
    // It is warm, whatever is told after that.
    warmed(unfetched)
    await post(url, slotOf('0x1', other))
    await post(url, slotOf('0x1', listed))
    assert.equal(made.hotAccounts(), [missed[1], { address: listed, slots: ['0x2', '0x1'] }])
  },
)
s(
  'keeps tokens warm that everybody names, and not those of one caller [teeth/relay-hot]',
  async () => {
    const { made, post } = start()
    const { url } = await openWarm(made)
    const [known, own] = [addressOf('a'), addressOf('b')]
    made.used([known, own])
    await post(url, [slotOf('0x1', known), slotOf('0x1', own), slotOf('0x1')])
    assert.equal(
      made.hotAccounts().map(({ address }) => address),
      [known, pool],
    )
  },
)
s('fetches ahead an account in each of its forms, in parts [teeth/relay-hot]', async () => {
  const { made, sent, post } = start()
  const { url } = await openWarm(made)
  made.used([])
  const count = 70
  const slots = Array.from({ length: count }, (_, n) => `0x${(n + 1).toString(16)}`)
  const accounts = ['1', '2', '3'].map(addressOf)
  await post(
    url,
    accounts.flatMap((of) => slots.map((slot) => slotOf(slot, of))),
  )
  sent.length = 0
  await made.prefetch({ blockNumber: 26n, blockHash: '0x1a', timestampSecs: 1n })
  assert.equal(
    sent.map(([calls, purpose]) => [calls.length, purpose]),
    [
      [200, 'warmUp'],
      [3 * (4 + count) - 200, 'warmUp'],
    ],
  )
  const [first] = accounts
  const asked = sent.flatMap(([calls]) => calls).slice(0, 5)
  assert.equal(asked, [
    ...['eth_getAccountInfo', 'eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map(
      (method) => ({ method, params: [first, '0x1a'] }),
    ),
    { method: 'eth_getStorageAt', params: [first, '0x1', '0x1a'] },
  ])
})
s(
  'opens once, or again where it could not, and closes what it opened [teeth/relay-open]',
  async () => {
    let asked = 0
    const { made } = start({
      async findHost() {
        asked += 1
        if (asked === 1) throw new Error('nobody knows')
        return '127.0.0.1'
      },
    })
    assert.is(await made.open().then(String, (error: Error) => error.message), 'nobody knows')
    await made.close()
    const [one, same] = await Promise.all([made.open(), made.open()])
    assert.equal([one === same, asked], [true, 2])
    assert.is((await fetch(one.slowUrl)).status, 404)
    await made.close()
    assert.is(await fetch(one.slowUrl).then(String, () => 'closed'), 'closed')
    const never = start()
    await never.made.close()
    const nowhere = start({ findHost: async () => '192.0.2.1' })
    const reason = await nowhere.made.open().catch((error: NodeJS.ErrnoException) => error.code)
    assert.is(reason, 'EADDRNOTAVAIL')
  },
)
s('paces what comes through the slow door, behind a burst [teeth/relay-slow]', async () => {
  const { made, post } = start()
  const { url, slowUrl } = await openWarm(made)
  const many = Array.from({ length: 410 }, (_, n) => slotOf(`0x${(n + 1).toString(16)}`))
  const timed = async (door: string) => {
    const startedAt = performance.now()
    const answer = await post(door, many)
    return [performance.now() - startedAt, answer.headers.get('keep-alive')] as const
  }
  const [[fastMs, kept], [slowMs]] = [await timed(url), await timed(slowUrl)]
  // Four hundred at once, and a hundred a second.
  assert.ok(slowMs >= 95, `${slowMs} ms, and ${fastMs} ms without a pace`)
  assert.is(kept, 'timeout=60')
})
s('closes over what the chain has not answered yet [teeth/relay-open]', async () => {
  const sent = Promise.withResolvers<void>()
  const made = createUpstreamRelay({
    upstream: {
      ...upstream,
      send() {
        sent.resolve()
        return new Promise(() => undefined)
      },
    },
    findHost: async () => '127.0.0.1',
  })
  const { url } = await openWarm(made)
  const asked = read(url, '0x1').then(String, () => 'cut')
  await sent.promise
  await made.close()
  assert.is(await asked, 'cut')
})
s.run()
