import type { Hex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { openStore } from '../../store/openStore.ts'
import { createKey } from '../issueKeys.ts'
import { judgeParties } from './judgeParties.ts'

const s = suite('settlements of wallets that share a code')
const minuteMs = 60_000
const fees = { gasLimit: 1n, maxFeePerGasWei: 1n, maxPriorityFeePerGasWei: 1n }

/** Each payment of a wallet and a key of its own; all wallets have one code. */
async function open() {
  const store = openStore({ path: ':memory:' })
  const config = { keyPrefix: 'test', pepper: 'pepper' }
  let payments = 0
  async function pay(nowMs: number) {
    const label = `${++payments}`
    const { id: keyId } = await createKey({ store, config, now: () => 1 }, { label })
    const id: Hex = `0x0${payments}`
    const kept = await store.settlements.reserve(
      {
        chainId: 1,
        asset: '0x01',
        payer: id,
        payerCode: '0xc0de',
        nonce: id,
        keyId,
        validBeforeSecs: 9,
        fromBlock: 1n,
        calldata: '0x',
        signer: '0x02',
        createdAtMs: nowMs,
        chainNonce: 0,
        windowMs: 60 * minuteMs,
      },
      ({ parties }) => {
        const refusal = judgeParties(parties, { nowMs })
        return refusal ? { refusal } : { rawTx: '0x', txHash: id, ...fees }
      },
    )
    return 'refusal' in kept ? kept.refusal : kept.settlement
  }
  async function end(nowMs: number, state: 'settled' | 'failed') {
    const paid = await pay(nowMs)
    if (typeof paid === 'string') throw new Error(paid)
    const { id, txHash } = paid
    await store.settlements.finish({ id, state, txHash, nowMs })
  }
  return { pay, end }
}

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
s.run()
