import type { Hex } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { ChainClient } from '../chain/client.ts'
import { createBroadcaster } from './broadcast.ts'

const s = suite('broadcast')
const bytesOf = (id: number) => ({ hash: `0xa${id}` as Hex, raw: `0xb${id}` as Hex })

/** A node that answers when it is let, and takes so many calls in a batch as far as is known. */
function open({ batchCalls }: { readonly batchCalls?: number } = {}) {
  const asked: { readonly raw: string; readonly take: () => void; readonly refuse: () => void }[] =
    []
  const failed: string[] = []
  const request = ({ method, params }: { method: string; params: readonly [string] }) => {
    assert.is(method, 'eth_sendRawTransaction')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    asked.push({ raw: params[0], take: resolve, refuse: () => reject(new Error('no')) })
    return promise
  }
  const client = {
    client: { request },
    limits: () => [{}, { batchCalls }],
  } as unknown as ChainClient
  const broadcaster = createBroadcaster(
    { client, chainId: 8453 },
    {
      now: () => 1_000,
      observe: (event) => {
        if (event.kind === 'broadcast_failed') failed.push(`${event.chainId} ${event.hash}`)
      },
    },
  )
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const listAsked = () => asked.map(({ raw }) => raw)
  return { asked, listAsked, failed, broadcaster, turn }
}

s('sends in the order asked, and goes on where one is refused [teeth/broadcast]', async () => {
  const { asked, listAsked, failed, broadcaster, turn } = open()
  const sent = [broadcaster.send(bytesOf(1))]
  await turn()
  sent.push(broadcaster.send(bytesOf(2)))
  await turn()
  assert.equal(listAsked(), ['0xb1'])
  asked[0]?.refuse()
  await turn()
  assert.equal(listAsked(), ['0xb1', '0xb2'])
  let isIdle = false
  const idle = broadcaster.idle().then(() => {
    isIdle = true
  })
  await turn()
  assert.is(isIdle, false)
  asked[1]?.take()
  await Promise.all([...sent, idle])
  assert.equal(failed, ['8453 0xa1'])
  assert.equal([broadcaster.sentAtMs('0xa1'), broadcaster.sentAtMs('0xa2')], [undefined, 1_000])
  broadcaster.forget('0xa2')
  assert.is(broadcaster.sentAtMs('0xa2'), undefined)
})
s('sends at once what was asked while others were on their way [relay/sent-together]', async () => {
  const { asked, listAsked, broadcaster, turn } = open()
  const first = broadcaster.send(bytesOf(1))
  await turn()
  const rest = Array.from({ length: 17 }, (_, at) => broadcaster.send(bytesOf(at + 2)))
  asked[0]?.take()
  await first
  await turn()
  const expected = Array.from({ length: 17 }, (_, at) => `0xb${at + 1}`)
  assert.equal(listAsked(), expected, 'as many as a batch may hold')
  for (const { take } of asked) take()
  await turn()
  assert.equal(listAsked(), [...expected, '0xb18'])
  asked[17]?.take()
  await Promise.all(rest)
})
s(
  'sends what was refused of a batch once more, one after the other [relay/sent-in-order]',
  async () => {
    const { asked, listAsked, failed, broadcaster, turn } = open()
    const first = broadcaster.send(bytesOf(1))
    await turn()
    const rest = [2, 3, 4].map((id) => broadcaster.send(bytesOf(id)))
    asked[0]?.take()
    await first
    await turn()
    asked[1]?.refuse()
    asked[2]?.take()
    asked[3]?.refuse()
    await turn()
    const batch = ['0xb1', '0xb2', '0xb3', '0xb4']
    assert.equal(listAsked(), [...batch, '0xb2'])
    asked[4]?.take()
    await turn()
    assert.equal(listAsked(), [...batch, '0xb2', '0xb4'])
    asked[5]?.refuse()
    await Promise.all(rest)
    assert.equal(failed, ['8453 0xa4'])
  },
)
s('sends no more at once than a node takes in one batch', async () => {
  const { asked, listAsked, broadcaster, turn } = open({ batchCalls: 2 })
  const sent = [1, 2, 3].map((id) => broadcaster.send(bytesOf(id)))
  await turn()
  assert.equal(listAsked(), ['0xb1', '0xb2'])
  for (const { take } of asked) take()
  await turn()
  assert.equal(listAsked(), ['0xb1', '0xb2', '0xb3'])
  asked[2]?.take()
  await Promise.all(sent)
})
s('who offers waits until it is sent, and lets a timer go [teeth/broadcast]', async () => {
  const { asked, broadcaster, turn } = open()
  let isOver = false
  const offered = broadcaster.offer(bytesOf(1)).then(() => {
    isOver = true
  })
  await turn()
  assert.is(isOver, false)
  asked[0]?.take()
  await offered
  assert.is(broadcaster.sentAtMs('0xa1'), 1_000)
  assert.not(process.getActiveResourcesInfo().includes('Timeout'))
})
s.run()
