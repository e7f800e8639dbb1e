import { keccak256, stringToBytes } from 'viem'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createLog } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { watchMoney } from './watchMoney.ts'

const log = createLog({ level: 'silent', secrets: [] })

/** What operators see of a real database's books. */
function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`parts/watchMoney on ${name}`)
  s.after(close)

  async function read() {
    const metrics = createMetrics()
    const { close: stop } = await watchMoney({ store, log, metrics })
    const text = await metrics.registry.metrics()
    await stop()
    const lines = text.split('\n').filter((line) => /^forkyard_(quota|payments|settle)/.test(line))
    return lines.map((line) => line.replace('forkyard_', '')).toSorted()
  }

  s('sums up what was credited, used, paid and settled [24/money]', async () => {
    assert.equal(await read(), ['quota_units{kind="credited"} 0', 'quota_units{kind="used"} 0'])
    await store.keys.insert({
      id: 'key',
      idHash: keccak256(stringToBytes('key')),
      secretHash: Buffer.from('key'),
      start: 'x',
      label: '',
      wallet: undefined,
      scopes: ['quote'],
      createdAtMs: 1,
      quotes: 10,
    })
    await store.ledger.charge({ keyId: 'key', units: 3, ref: 'r', atMs: 1 })
    for (const [index, state] of ['final', 'final', 'orphaned'].entries())
      await store.execute(
        `INSERT INTO payments (chain_id, tx_hash, log_index, block_number, block_hash, payer,
           amount, quotes, key_id, proof, state, at_ms)
         VALUES (8453, '0x1', ${index}, 1, '0x2', '0x3', '100', 50, 'key', 1, '${state}', 1)`,
      )
    assert.equal(await read(), [
      'payments_units{chain="8453",state="final"} 100',
      'payments_units{chain="8453",state="orphaned"} 50',
      'payments{chain="8453",state="final"} 2',
      'payments{chain="8453",state="orphaned"} 1',
      'quota_units{kind="credited"} 10',
      'quota_units{kind="used"} 3',
    ])
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
