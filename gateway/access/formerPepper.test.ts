import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createAccess } from './access.ts'
import { createKey, rotateKey } from './issueKeys.ts'
import type { AccessConfig } from './sale/accessConfig.ts'

const before: AccessConfig = {
  keyPrefix: 'forkyard_test',
  pepper: 'the pepper that has leaked',
  publicUrl: 'https://lab.example',
  serviceName: 'Forkyard',
  freeQuota: 0,
  amountPerQuote: 100n,
  packQuotes: 1000,
  keyLimit: { unitsPerSec: 1000, burst: 5000 },
  ipLimit: undefined,
  isLoopbackLimited: false,
  contracts: [],
}
const untilMs = 1_000
const after = { ...before, pepper: 'the pepper of now' }
const both = { ...after, formerPepper: { pepper: before.pepper, untilMs } }

function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`access/formerPepper on ${name}`)
  s.after(close)
  const warned: string[] = []
  const log = {
    debug() {},
    info() {},
    error() {},
    warn: (_: object, message: string) => void warned.push(message),
  }
  const depsOf = (config: AccessConfig, nowMs: number) => ({
    store,
    chains: [],
    config,
    log,
    now: () => nowMs,
  })
  async function identify(config: AccessConfig, key: string, nowMs = 1) {
    const access = createAccess(depsOf(config, nowMs))
    return (await access.identify({ headers: { 'x-api-key': key }, ip: '10.0.0.1' }))?.keyId
  }

  s(
    'knows keys of the former pepper until its date, and those that were used ever after [24/two-peppers]',
    async () => {
      const make = (label: string) => createKey(depsOf(before, 1), { label })
      const [used, unused] = [await make('used'), await make('unused')]
      assert.is(await identify(after, used.apiKey), undefined)
      assert.is(await identify(both, used.apiKey), used.id)
      // Gateways of before, between and after it are one service meanwhile.
      for (const config of [before, both, after])
        assert.is(await identify(config, used.apiKey, untilMs), used.id)
      assert.is(await identify(both, unused.apiKey, untilMs), undefined)
      assert.is(await identify(both, unused.apiKey, untilMs - 1), unused.id)
      const fresh = await createKey(depsOf(both, 1), { label: 'fresh' })
      assert.is(await identify(both, fresh.apiKey), fresh.id)
    },
  )

  s('takes over what a rotation has left, until its own end [24/left-pepper]', async () => {
    const { id, apiKey } = await createKey(depsOf(before, 1), { label: 'left' })
    await rotateKey(depsOf(both, 1), { id, overlapMs: 2 * untilMs })
    assert.is(await identify(both, apiKey), id)
    assert.is(await identify(after, apiKey, 2 * untilMs), id)
    assert.is(await identify(after, apiKey, 2 * untilMs + 1), undefined)
  })

  s('takes over a key once more at the next pepper [24/next-pepper]', async () => {
    const { id, apiKey } = await createKey(depsOf(before, 1), { label: 'twice' })
    assert.is(await identify(both, apiKey), id)
    const last = { ...after, pepper: 'the pepper after that' }
    const formerPepper = { pepper: after.pepper, untilMs }
    assert.is(await identify({ ...last, formerPepper }, apiKey), id)
    assert.is(await identify(last, apiKey, untilMs), id)
    await rotateKey(depsOf(last, 1), { id })
    for (const config of [before, after, last]) assert.is(await identify(config, apiKey), undefined)
  })

  s('lets a caller in whose key cannot be taken over now', async () => {
    const { id, apiKey } = await createKey(depsOf(before, 1), { label: 'full disk' })
    const full = Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' })
    const keys = { ...store.keys, addTwin: () => Promise.reject(full) }
    const access = createAccess({ ...depsOf(both, 1), store: { ...store, keys } })
    const caller = await access.identify({ headers: { 'x-api-key': apiKey }, ip: '10.0.0.1' })
    assert.is(caller?.keyId, id)
    assert.equal(warned, ['a key was not taken over to the new pepper'])
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
