import { getAddress, numberToHex, pad } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { createFindWhales } from './findWhales.ts'
import { type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'

const s = suite('who holds much of a token')
const token = numberToHex(0xa, { size: 20 })
const holderOf = (n: number) => getAddress(numberToHex(n, { size: 20 }))
const [named, recent] = [holderOf(0xb), holderOf(0xc)]
const ok = (result: unknown): RpcOutcome => ({ ok: true, result })

/** A chain whose newest logs are what `readLogs` says; whoever is asked about holds something. */
function open(readLogs: () => Promise<readonly RpcOutcome[]>) {
  const find = createFindWhales(
    { upstream: { sendApart: readLogs }, listHolders: async () => [named] },
    { chainId: 8453 },
  )
  const rpc = {
    batch: async (calls: readonly unknown[]) => calls.map((_, n) => ok(pad(numberToHex(9 - n)))),
  }
  return async () =>
    (await find({ rpc, token, blockNumber: 100n, most: 9 })).map(({ holder }) => holder)
}

s('is who is named, where the node is silent, until it is not', async () => {
  let isSilent = true
  const ask = open(async () => {
    if (isSilent) throw new RpcTransportError('timeout')
    return [ok([{ topics: ['0x', '0x', pad(recent)] }])]
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
s.run()
