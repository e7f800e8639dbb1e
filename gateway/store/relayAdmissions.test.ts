import { query } from '../../fixtures/store/postgres.ts'
import { openAt, type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { AdmissionAsked } from './relayAdmissions.ts'

const windowMs = 3_600_000

function addTests(engine: StoreEngine) {
  const s = suite(`relay admissions on ${engine.name}`)
  s.after(engine.close)
  const { admissions } = engine.store
  /** Each test has a chain of its own. */
  const open = (chainId: number, caps: Partial<AdmissionAsked>) => {
    const none = { maxOfNetwork: undefined, maxUnsigned: undefined }
    const usual = { chainId, network: 'a', isSigned: false, nowMs: 1, windowMs, ...none, ...caps }
    const ask = (given: Partial<AdmissionAsked> = {}) => admissions.take({ ...usual, ...given })
    const tell = async (given?: Partial<AdmissionAsked>) => {
      const taken = await ask(given)
      return taken.status === 'taken' ? 'taken' : `${taken.by} ${taken.retryAfterMs}`
    }
    return { ask, tell }
  }

  s('takes as many of a network as its cap says, signed or not [teeth/admissions]', async () => {
    const { tell } = open(1, { maxOfNetwork: 2 })
    assert.is(await tell({ nowMs: 10 }), 'taken')
    assert.is(await tell({ nowMs: 20, isSigned: true }), 'taken')
    assert.is(await tell({ nowMs: 30, isSigned: true }), `network ${windowMs - 20}`)
    assert.is(await tell({ nowMs: 30, network: 'b' }), 'taken')
    assert.is(await tell({ nowMs: 30, chainId: 2 }), 'taken')
  })
  s('takes as many without a signature as their share says [teeth/admissions]', async () => {
    const { tell } = open(3, { maxUnsigned: 1 })
    assert.is(await tell({ nowMs: 5, isSigned: true }), 'taken')
    assert.is(await tell({ nowMs: 10 }), 'taken')
    assert.is(await tell({ nowMs: 20, network: 'b' }), `share ${windowMs - 10}`)
    assert.is(await tell({ nowMs: 20, network: 'b', isSigned: true }), 'taken')
  })
  s('takes all where no cap is set, and none where it is nothing [teeth/admissions]', async () => {
    const { tell } = open(4, {})
    for (let count = 0; count < 3; count += 1) assert.is(await tell(), 'taken')
    const { tell: closed } = open(5, { nowMs: 7 })
    assert.is(await closed({ maxOfNetwork: 0 }), `network ${windowMs}`)
    assert.is(await closed({ maxUnsigned: 0 }), `share ${windowMs}`)
  })
  s('has room again an hour later, or where it came to nothing [teeth/admissions]', async () => {
    const { ask, tell } = open(6, { maxOfNetwork: 1 })
    await ask({ nowMs: 10 })
    assert.is(await tell({ nowMs: 9 + windowMs }), 'network 1')
    const second = await ask({ nowMs: 10 + windowMs })
    assert.is(second.status, 'taken')
    assert.is(await tell({ nowMs: 11 + windowMs }), `network ${windowMs - 1}`)
    await admissions.giveBack('id' in second ? second.id : 0)
    assert.is(await tell({ nowMs: 12 + windowMs }), 'taken')
  })
  if (engine.name === 'PostgreSQL') addSharedTests(engine)
  s.run()

  /** Two gateways of one database, as they open it. */
  function addSharedTests({ createDatabase }: StoreEngine) {
    const cap = { chainId: 1, isSigned: true, windowMs, maxOfNetwork: 1, maxUnsigned: undefined }
    async function openTwo(address: string) {
      const stores = await Promise.all([openAt(address), openAt(address)])
      return {
        takers: stores.map((one) => async (network: string, nowMs = Date.now()) => {
          return (await one.admissions.take({ ...cap, network, nowMs })).status
        }),
        close: () => Promise.all(stores.map((one) => one.close())),
      }
    }

    s("a machine whose clock is ahead forgets nobody's hour [relay/network-clock]", async () => {
      const { takers, close } = await openTwo(await createDatabase())
      const [take, takeAhead] = takers
      assert.is(await take?.('a'), 'taken')
      assert.is(await takeAhead?.('b', Date.now() + 2 * windowMs), 'taken')
      assert.is(await take?.('a'), 'refused')
      assert.is(await takeAhead?.('a', Date.now() + 2 * windowMs), 'refused')
      await close()
    })
    s('whatever isolation the database has by default, a cap holds [relay/isolation]', async () => {
      const address = await createDatabase()
      const name = new URL(address).pathname.slice(1)
      await query(
        address,
        `ALTER DATABASE ${name} SET default_transaction_isolation = 'repeatable read'`,
      )
      const { takers, close } = await openTwo(address)
      const taken = await Promise.all(
        Array.from({ length: 6 }, () => takers.map((take) => take('a'))).flat(),
      )
      assert.is(taken.filter((status) => status === 'taken').length, 1)
      await close()
    })
  }
}

for (const engine of await startStoreEngines()) addTests(engine)
