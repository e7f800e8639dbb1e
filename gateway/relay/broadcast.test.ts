import type { Hex } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { ChainClient } from '../chain/client.ts'
import { createBroadcaster } from './broadcast.ts'

const s = suite('broadcast')
const bytesOf = (id: number) => ({ hash: `0xa${id}` as Hex, raw: `0xb${id}` as Hex })

/** A node that answers when it is let. */
function open() {
  const asked: { readonly raw: string; readonly take: () => void; readonly refuse: () => void }[] =
    []
  const failed: string[] = []
  const request = ({ method, params }: { method: string; params: readonly [string] }) => {
    assert.is(method, 'eth_sendRawTransaction')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    asked.push({ raw: params[0], take: resolve, refuse: () => reject(new Error('no')) })
    return promise
  }
  const client = { client: { request } } as unknown as ChainClient
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
  return { asked, failed, broadcaster, turn }
}

s('sends one after the other, and goes on where one is refused [teeth/broadcast]', async () => {
  const { asked, failed, broadcaster, turn } = open()
  const sent = [1, 2].map((id) => broadcaster.send(bytesOf(id)))
  await turn()
  assert.equal(
    asked.map(({ raw }) => raw),
    ['0xb1'],
  )
  asked[0]?.refuse()
  await turn()
  assert.equal(
    asked.map(({ raw }) => raw),
    ['0xb1', '0xb2'],
  )
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
