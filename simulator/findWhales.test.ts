import { mock } from 'node:test'
import { type Address, getAddress, numberToHex, pad, toEventSelector } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { createFindWhales } from './findWhales.ts'
import { balanceOfCall } from './rpc/callShapes.ts'
import { type RpcCall, type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'
import { refused, told, word } from './testing/answers.ts'
import type { Entrant } from './turnstile.ts'

const s = suite('who holds much of a token')
const token = numberToHex(0xa, { size: 20 })
const holderOf = (n: number) => getAddress(numberToHex(n, { size: 20 }))
const [named, recent] = [holderOf(0xb), holderOf(0xc)]

/** A chain whose newest logs are what `readLogs` says; whoever is asked about holds something. */
function open(readLogs: () => Promise<readonly RpcOutcome[]>) {
  const find = createFindWhales(
    { upstream: { sendApart: readLogs }, listHolders: async () => [named] },
    { chainId: 8453 },
  )
  const rpc = {
    batch: async (calls: readonly unknown[]) => calls.map((_, n) => told(pad(numberToHex(9 - n)))),
  }
  return async () =>
    (await find({ rpc, token, blockNumber: 100n, most: 9 })).map(({ holder }) => holder)
}

s('is who is named, where the node is silent, until it is not', async () => {
  let isSilent = true
  const ask = open(async () => {
    if (isSilent) throw new RpcTransportError('timeout')
    return [told([{ topics: ['0x', '0x', pad(recent)] }])]
  })
  assert.equal(await ask(), [named])
  isSilent = false
  assert.equal(await ask(), [named, recent])
  isSilent = true
  assert.equal(await ask(), [named, recent])
})

s('is not asked further where something else fails', async () => {
  const ask = open(() => Promise.reject(new RangeError('a mistake of ours')))
  assert.is(await ask().catch((error: Error) => error.name), 'RangeError')
})

type Given = {
  readonly logs?: RpcOutcome
  readonly listHolders?: (() => Promise<readonly Address[]>) | undefined
  readonly balanceOf?: (holder: Address) => RpcOutcome
  readonly blockNumber?: bigint
  readonly most?: number
}
/** Of a chain with such logs, on a fork with such balances. */
function create({ logs = told([]), listHolders, balanceOf = () => told(word(1n)) }: Given) {
  const asked: (readonly [RpcCall | undefined, Entrant | undefined])[] = []
  const reads: RpcCall[] = []
  const find = createFindWhales(
    {
      upstream: {
        async sendApart([call], entrant) {
          asked.push([call, entrant])
          return [logs]
        },
      },
      listHolders,
    },
    { chainId: 8453 },
  )
  const rpc = {
    async batch(calls: readonly RpcCall[], { timeoutMs }: { readonly timeoutMs: number }) {
      assert.is(timeoutMs, 3_000)
      reads.push(...calls)
      return calls.map(({ params: [call] }) => {
        const { data } = call as { readonly data: string }
        return balanceOf(getAddress(`0x${data.slice(-40)}`))
      })
    },
  }
  const entrant: Entrant = { caller: 'somebody' }
  return {
    asked,
    reads,
    entrant,
    whales: ({ blockNumber = 3_000n, most }: Given = {}) =>
      find({ rpc, token, blockNumber, most, entrant }),
  }
}
const received = (...to: readonly unknown[]) =>
  told(to.map((topic) => ({ topics: ['0x', '0x', topic] })))
const topicOf = (holder: Address) => pad(holder, { size: 32 })
const holdersOf = async (whales: Promise<readonly { readonly holder: Address }[]>) =>
  (await whales).map(({ holder }) => holder)

s(
  'are asked of the last two thousand blocks, in the name of who waits [teeth/whales]',
  async () => {
    const { asked, entrant, whales } = create({})
    await whales()
    const filter = {
      address: token,
      topics: [toEventSelector('Transfer(address,address,uint256)')],
      fromBlock: numberToHex(1_000),
      toBlock: numberToHex(3_000),
    }
    assert.equal(asked, [[{ method: 'eth_getLogs', params: [filter] }, entrant]])
    for (const [blockNumber, fromBlock] of [
      [2_001n, '0x1'],
      [2_000n, '0x0'],
      [7n, '0x0'],
    ] as const) {
      const early = create({})
      await early.whales({ blockNumber })
      const [[call] = []] = early.asked
      assert.match(JSON.stringify(call), `"fromBlock":"${fromBlock}"`)
    }
  },
)
s('are those who hold some of it, richest first [teeth/whales]', async () => {
  const [rich, poor, none, silent] = [holderOf(1), holderOf(2), holderOf(3), holderOf(4)]
  const held = new Map([
    [rich, told(word(9n))],
    [poor, told(word(1n))],
    [none, told(word(0n))],
    [silent, refused('busy')],
  ])
  const { whales, reads } = create({
    logs: received(...[poor, none, silent, rich, poor].map(topicOf)),
    balanceOf: (holder) => held.get(holder) ?? told('0x'),
  })
  assert.equal(await whales(), [
    { holder: rich, balance: 9n },
    { holder: poor, balance: 1n },
  ])
  assert.equal(
    reads,
    [poor, none, silent, rich].map((holder) => ({
      method: 'eth_call',
      params: [balanceOfCall(token, holder), 'latest'],
    })),
  )
})
s('are so many at most, of whom no more are read than one is told [teeth/whales]', async () => {
  const many = Array.from({ length: 100 }, (_, n) => holderOf(n + 1))
  const { whales, reads } = create({ logs: received(...many.map(topicOf)) })
  assert.is((await whales()).length, 8)
  assert.is(reads.length, 60)
  await whales({ most: 2 })
  assert.is(reads.length, 62)
  const listed = create({
    listHolders: async () => [named, ...many],
    logs: received(...many.map(topicOf)),
  })
  await listed.whales()
  assert.is(listed.reads.length, 60)
})
s('are nobody of what is no log [teeth/whales]', async () => {
  for (const logs of [
    refused('too many'),
    told(null),
    told([null, 7, {}, { topics: 'none' }, { topics: [] }]),
    received('x', '0x01', 7),
  ])
    assert.equal(await holdersOf(create({ logs }).whales()), [])
  const odd = create({ logs: told([null, { topics: ['0x', '0x', topicOf(recent)] }]) })
  assert.equal(await holdersOf(odd.whales()), [recent])
})
s('are looked for once a minute [teeth/whales]', async () => {
  let nowMs = 10_000
  mock.method(performance, 'now', () => nowMs)
  // A cache looks at the clock anew with each timer of its own.
  mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, whales } = create({ logs: received(topicOf(recent)) })
  const countAt = async (ms: number) => {
    nowMs = ms
    mock.timers.tick(1)
    await whales()
    return asked.length
  }
  assert.equal([await countAt(10_000), await countAt(70_000), await countAt(70_001)], [1, 1, 2])
  mock.timers.reset()
  mock.restoreAll()
})
s.run()
