import type { Hex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { openStore } from '../../store/openStore.ts'
import { createKey } from '../issueKeys.ts'
import { judgeParties } from './judgeParties.ts'

const s = suite('settlements of wallets that share a code')
const minuteMs = 60_000
const fees = { gasLimit: 1n, maxFeePerGasWei: 1n, maxPriorityFeePerGasWei: 1n }

type Payer = {
  readonly keyId?: string
  readonly payer?: Hex
  readonly payerCode?: Hex | undefined
}

/** Each payment of a wallet and a key of its own, if nothing else is said; all wallets have one code. */
async function open() {
  const store = openStore({ path: ':memory:' })
  const config = { keyPrefix: 'test', pepper: 'pepper' }
  let payments = 0
  const addKey = async (label: string) =>
    (await createKey({ store, config, now: () => 1 }, { label })).id
  async function pay(nowMs: number, { keyId = '', ...same }: Payer = {}) {
    const id: Hex = `0x0${++payments}`
    const kept = await store.settlements.reserve(
      {
        chainId: 1,
        asset: '0x01',
        payer: id,
        payerCode: '0xc0de',
        nonce: id,
        keyId: keyId || (await addKey(id)),
        validBeforeSecs: 9,
        fromBlock: 1n,
        calldata: '0x',
        signer: '0x02',
        createdAtMs: nowMs,
        chainNonce: 0,
        windowMs: 60 * minuteMs,
        ...same,
      },
      ({ parties, newcomers }) => {
        const refusal = judgeParties(parties, { nowMs, newcomers })
        return refusal ? { refusal } : { rawTx: '0x', txHash: id, ...fees }
      },
    )
    return 'refusal' in kept ? kept.refusal : kept.settlement
  }
  async function end(nowMs: number, state: 'settled' | 'failed', payer?: Payer) {
    const paid = await pay(nowMs, payer)
    if (typeof paid === 'string') throw new Error(paid)
    const { id, txHash } = paid
    await store.settlements.finish({ id, state, txHash, nowMs })
  }
  return { addKey, pay, end }
}

s('bars ten minutes, twice as long after each that fails, a day at most [teeth/bars]', () => {
  const quiet = { open: 0, settled: 0, failed: 0, lastFailedMs: undefined }
  const newcomers = { isOne: true }
  const lengthOf = (failed: number) => {
    const payer = { ...quiet, failed, lastFailedMs: 0 }
    let low = 0
    for (let high = 2 ** 30; high - low > 1; ) {
      const middle = Math.floor((low + high) / 2)
      const parties = { key: quiet, code: quiet, payer }
      if (judgeParties(parties, { nowMs: middle, newcomers }) === 'barred') low = middle
      else high = middle
    }
    return (low + 1) / minuteMs
  }
  assert.equal([1, 2, 3, 8, 9].map(lengthOf), [10, 20, 40, 1_280, 1_440])
})

s('ten are open of a key or a payer at most, whatever it has paid [18/may-fail]', () => {
  const quiet = { open: 0, settled: 0, failed: 0, lastFailedMs: undefined }
  const judge = (who: 'key' | 'payer', open: number) =>
    judgeParties(
      { key: quiet, payer: quiet, code: quiet, [who]: { ...quiet, open, settled: 99 } },
      { nowMs: 0, newcomers: { isOne: false } },
    )
  for (const who of ['key', 'payer'] as const)
    assert.equal([judge(who, 9), judge(who, 10)], [undefined, 'too_many_open'])
})

s('one that fails bars no code that has paid as often that day [18/shared-code]', async () => {
  const { pay, end } = await open()
  for (const state of ['settled', 'settled', 'failed', 'failed'] as const) await end(1, state)
  assert.type(await pay(2), 'object')
  await end(3, 'failed')
  assert.is(await pay(4), 'barred')
  assert.type(await pay(11 * minuteMs), 'object')
})

s('a code that has paid nothing is barred with the first that fails', async () => {
  const { pay, end } = await open()
  await end(1, 'failed')
  assert.is(await pay(2), 'barred')
})

s('strangers with the same code bar nobody who has paid before [attack/shared-code]', async () => {
  const { addKey, pay, end } = await open()
  const customer: Payer = { keyId: await addKey('customer'), payer: '0xfe' }
  await end(1, 'settled', customer)
  const later = 48 * 60 * minuteMs
  for (let count = 0; count < 5; count += 1) await end(later + count * 24 * 60 * minuteMs, 'failed')
  const nowMs = later + 4 * 24 * 60 * minuteMs + 1
  assert.is(await pay(nowMs), 'barred')
  assert.type(await pay(nowMs, customer), 'object')
  await end(nowMs, 'failed', customer)
  assert.is(await pay(nowMs + 1, customer), 'barred')
})

s('what was paid a day ago stands for nothing', async () => {
  const { pay, end } = await open()
  await end(1, 'settled')
  await end(25 * 60 * minuteMs, 'failed')
  assert.is(await pay(25 * 60 * minuteMs + 1), 'barred')
})

s('more may be open of a code that has paid', async () => {
  const { pay, end } = await open()
  await end(1, 'settled')
  for (let count = 0; count < 6; count += 1) assert.type(await pay(2), 'object')
  assert.is(await pay(2), 'too_many_open')
})

for (const who of ['key', 'payer'] as const)
  s(
    `what a ${who} has open may fail: with what has failed it is three beyond what was paid [18/may-fail]`,
    async () => {
      const { addKey, pay, end } = await open()
      const one: Payer = {
        payerCode: undefined,
        ...(who === 'key' ? { keyId: await addKey('one') } : { payer: '0xfe' }),
      }
      const tell = async (nowMs: number) => {
        const paid = await pay(nowMs, one)
        return typeof paid === 'string' ? paid : 'open'
      }
      await end(1, 'settled', one)
      for (let count = 0; count < 4; count += 1) assert.is(await tell(2), 'open')
      assert.is(await tell(2), 'too_many_open')
    },
  )

s('a payer without a payment has three open, and after three failures one at a time', async () => {
  const { pay, end } = await open()
  const one: Payer = { payerCode: undefined, payer: '0xfe' }
  for (const atMs of [0, 11, 32]) await end(1 + atMs * minuteMs, 'failed', one)
  assert.type(await pay(75 * minuteMs, one), 'object')
  assert.is(await pay(75 * minuteMs, one), 'too_many_open')
  const other: Payer = { payerCode: undefined, payer: '0xfd' }
  for (let count = 0; count < 3; count += 1) assert.type(await pay(1, other), 'object')
  assert.is(await pay(1, other), 'too_many_open')
})
s.run()
