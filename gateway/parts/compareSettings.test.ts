import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { readConfig } from '../config/config.ts'
import { createMetrics } from '../observe/metrics.ts'
import { createMemoryKey } from '../signing/digestKey.ts'
import { compareSettings } from './compareSettings.ts'

/** Gateways of one database that tell each other their settings. */
function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`parts/compareSettings on ${name}`)
  s.after(close)
  let nowMs = 1_000_000

  async function start(
    change: Readonly<Record<string, string>> = {},
    keys: Parameters<typeof compareSettings>[1]['keys'] = new Map(),
  ) {
    const warned: string[] = []
    const metrics = createMetrics()
    const log = {
      debug() {},
      info() {},
      error() {},
      warn: (fields: object) => void warned.push(JSON.stringify(fields)),
    }
    const env = { BASE_RPC_URL: 'http://127.0.0.1:1', KEY_PEPPER: 'p'.repeat(32), ...change }
    const now = () => nowMs
    const watch = await compareSettings(readConfig(env), { store, log, metrics, now, keys })
    const readOf = (metric: string) => async (setting: string) => {
      const text = await metrics.registry.metrics()
      return new RegExp(`${metric}\\{setting="${setting}"\\} (\\d+)`).exec(text)?.[1]
    }
    const [read, limit] = [readOf('forkyard_settings_differ'), readOf('forkyard_own_limit')]
    return { warned, read, limit, close: watch.close }
  }

  s('say which differ, while both are there [24/settings-told]', async () => {
    const first = await start()
    assert.equal(first.warned, [])
    const other = await start({ FREE_QUOTA: '5' })
    assert.equal(other.warned, ['{"settings":"FREE_QUOTA"}'])
    assert.is(await other.read('FREE_QUOTA'), '1')
    assert.is(await other.read('META_KEYS'), '0')
    const same = await start({ FREE_QUOTA: '5' })
    assert.is(same.warned.length, 1)
    await first.close()
    const later = await start({ FREE_QUOTA: '5' })
    assert.equal([later.warned, await later.read('FREE_QUOTA')], [[], '0'])
    for (const each of [other, same, later]) await each.close()
  })

  s(
    'tell of another relayer, whose transactions nobody would look after [24/settings-relayer]',
    async () => {
      const keyOf = (secret: string) =>
        new Map([[8453, createMemoryKey(`0x${secret.repeat(64)}`)]] as const)
      const first = await start({}, keyOf('1'))
      const other = await start({}, keyOf('2'))
      assert.equal(other.warned, ['{"settings":"BASE_RELAYER"}'])
      const same = await start({}, keyOf('2'))
      await first.close()
      for (const each of [other, same]) await each.close()
    },
  )

  s(
    'show what each bounds by itself, where no setting changes it too [24/own-limits-fixed]',
    async () => {
      const { limit, close: leave } = await start({ META_MAX_STREAMS: '9' })
      const shown = ['META_MAX_STREAMS', 'source_calls', 'refusals_of_site', 'searches_waiting']
      assert.equal(await Promise.all(shown.map(limit)), ['9', '32', '50', '256'])
      await leave()
    },
  )

  s('forget whoever has gone without a word', async () => {
    await start({ FREE_QUOTA: '7' })
    nowMs += 121_000
    const later = await start()
    assert.equal(later.warned, [])
    await later.close()
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
