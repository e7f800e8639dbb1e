import { assert, suite } from '../../../fixtures/test.ts'
import { openStore } from '../../store/openStore.ts'
import type { SettlementBook } from '../../store/settlements.ts'
import { createKey } from '../issueKeys.ts'
import { judgeSettlement } from './priceSettlement.ts'

const s = suite('settlements of newcomers')
const prices = { gasLimit: 100n, maxFeePerGasWei: 10n, maxPriorityFeePerGasWei: 1n }
const limits = { maxFeeWei: 10n ** 6n, maxPerHour: 6, maxSpendPerHourWei: 10n ** 9n }

/** A store with a key for each name, and what asks for a settlement as a key. */
async function open(names: readonly string[]) {
  const store = openStore({ path: ':memory:' })
  const config = { keyPrefix: 'test', pepper: 'pepper' }
  const keyIds: Record<string, string> = {}
  for (const label of names)
    keyIds[label] = (await createKey({ store, config, now: () => 1 } as never, { label })).id
  let payments = 0
  return {
    async ask(name: string, terms = limits) {
      payments += 1
      const judge = (book: SettlementBook) => {
        const facts = { l1FeeWei: 0n, balanceWei: 10n ** 18n }
        const refusal = judgeSettlement(terms, { prices, facts, book, packAmount: 10n ** 9n })
        if (refusal) return { refusal }
        return { rawTx: '0x', txHash: `0x${payments}`, ...prices } as const
      }
      const kept = await store.settlements.reserve(
        {
          chainId: 1,
          asset: '0x01',
          payer: `0x0${payments}`,
          nonce: `0x${payments}`,
          keyId: keyIds[name] ?? '',
          validBeforeSecs: 9,
          fromBlock: 1n,
          calldata: '0x',
          signer: '0x02',
          createdAtMs: 1_000,
          chainNonce: 0,
          windowMs: 3_600_000,
        },
        judge,
      )
      return 'refusal' in kept ? kept.refusal : kept.settlement
    },
    settle: async (id: number) =>
      store.settlements.finish({ id, state: 'settled', txHash: '0x01', nowMs: 1_000 }),
  }
}

s(
  'throwaway keys fill half of an hour, and whoever has paid before is settled for [18/newcomers]',
  async () => {
    const throwaway = ['t1', 't2', 't3', 't4']
    const { ask, settle } = await open(['honest', ...throwaway])
    const first = await ask('honest')
    if (typeof first === 'string') throw new Error(first)
    await settle(first.id)
    const told = []
    for (const name of throwaway) told.push(await ask(name))
    assert.equal(
      told.map((one) => typeof one === 'string'),
      [false, false, false, true],
    )
    assert.is(told[3], 'hourly_cap')
    assert.type(await ask('honest'), 'object')
  },
)

s('throwaway keys take half of what an hour may cost', async () => {
  const { ask } = await open(['t1', 't2', 't3'])
  const terms = { ...limits, maxSpendPerHourWei: 4_000n }
  assert.type(await ask('t1', terms), 'object')
  assert.type(await ask('t2', terms), 'object')
  assert.is(await ask('t3', terms), 'hourly_spend')
})

s('one newcomer is settled for however small the caps are', async () => {
  const { ask } = await open(['t1', 't2'])
  const terms = { ...limits, maxPerHour: 1 }
  assert.type(await ask('t1', terms), 'object')
  assert.is(await ask('t2', terms), 'hourly_cap')
})
s.run()
