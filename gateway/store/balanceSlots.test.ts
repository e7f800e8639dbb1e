import type { Address, Hex } from 'viem'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { BalanceSlot } from '../../simulator/balanceSlot/balanceSlot.ts'

const token: Address = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B'
const codeHash: Hex = `0x${'ab'.repeat(32)}`
const key = { chainId: 8453, token, codeHash }
const slot: BalanceSlot = {
  formula: 'solidity',
  contract: token,
  base: `0x${'00'.repeat(31)}09`,
  shiftBits: 8,
  widthBits: 248,
  wordUnit: 1n << 200n,
  balanceUnit: 3n ** 126n,
}

function addTests(engine: StoreEngine) {
  const s = suite(`balance slots on ${engine.name}`)
  const { slots } = engine.store
  s.after(engine.close)

  s('returns what was put last, by the token in any case', async () => {
    await slots.put({ ...key, slot: { ...slot, shiftBits: 16 } })
    await slots.put({ ...key, slot })
    assert.equal(await slots.get(key), slot)
    const inLowerCase = '0xab5801a7d398351b8be11c439e05c5b3259aec9b'
    assert.equal(await slots.get({ ...key, token: inLowerCase }), slot)
    assert.is(await slots.get({ ...key, chainId: 42161 }), undefined)
  })
  s('knows nothing of a token whose code has changed', async () => {
    assert.is(await slots.get({ ...key, codeHash: `0x${'cd'.repeat(32)}` }), undefined)
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
