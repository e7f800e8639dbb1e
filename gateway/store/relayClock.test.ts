import {
  settlementSigner as signer,
  startSettling,
  hourMs as windowMs,
} from '../../fixtures/store/settle.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { readPaced } from './relayClock.ts'

function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`store/relayClock on ${name}`)
  s.after(close)

  s(
    'a clock that is set back takes the bars of failed settlements and what networks have taken with it [18/clock-reset-bars]',
    async () => {
      const sign = await startSettling(store, 6)
      const [nowMs, dayMs] = [1_000_000, 24 * 3_600_000]
      const seen = await sign(1n, nowMs + dayMs)
      const { id, txHash, keyId, payer } = seen
      await store.settlements.finish({ id, state: 'failed', txHash, nowMs: nowMs + dayMs })
      const asked = { chainId: 6, network: 'n', isSigned: false, windowMs, maxUnsigned: undefined }
      const take = (atMs: number) =>
        store.admissions.take({ ...asked, nowMs: atMs, maxOfNetwork: 1 })
      assert.is((await take(nowMs + dayMs)).status, 'taken')
      assert.is(await store.clock.resetClock({ chainId: 6, nowMs }), nowMs)
      const { parties } = await store.settlements.readBook({
        chainId: 6,
        signer,
        chainNonce: 7,
        nowMs,
        windowMs,
        party: { keyId, payer, payerCode: undefined },
      })
      assert.is(parties.payer.lastFailedMs, nowMs)
      assert.is((await take(nowMs + windowMs - 1)).status, 'refused')
      assert.is((await take(nowMs + windowMs)).status, 'taken')
    },
  )
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)

const s = suite('store/relayClock')
s('goes on from where it was seen, unless it was set back since', () => {
  const pace = { fromMs: 1_000, elapsedMs: 500 }
  const read = (callerMs: number, storedMs: number) => readPaced({ callerMs, storedMs, pace })
  assert.equal([read(9, 1_000), read(9, 1_600), read(2_000, 1_000)], [1_500, 1_600, 2_000])
  assert.equal([read(9, 999), readPaced({ callerMs: 9, storedMs: 8 })], [999, 9])
})
s.run()
