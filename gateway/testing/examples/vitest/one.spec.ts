import { type Lease, lease } from 'forkyard/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

// This file and its neighbour write to the same account of the same lab, and never meet.
let leased: Lease
beforeAll(async () => {
  leased = await lease()
})
afterAll(() => leased.release())

test('sends as somebody whose key nobody has, and takes it back', async () => {
  const base = leased.chain(8453)
  const [from, to] = [
    '0x000000000000000000000000000000000000beef',
    '0x000000000000000000000000000000000000cafe',
  ] as const
  const balance = async () => BigInt(String(await base.request('eth_getBalance', [to, 'latest'])))
  expect(await balance()).toBe(0n)
  const start = await base.snapshot()
  for (const _ of [1, 2]) {
    await base.impersonate(from).send({ to, value: 7n })
    expect(await balance()).toBe(7n)
    await base.revert(start)
    expect(await balance()).toBe(0n)
  }
  await base.impersonate(from).send({ to, value: 9n })
  expect(await balance()).toBe(9n)
})
