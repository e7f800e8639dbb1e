import { createScriptedPool } from '../../fixtures/store/scriptedPool.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { testKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createKeys } from './keys.ts'
import { createPostgresEngine } from './postgresEngine.ts'

const wallet = '0x000000000000000000000000000000000000aAaA'

function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`store/keys on ${name}`)
  s.after(close)
  const { keys, ledger } = store

  s('finds a key by its id, its wallet and among all, oldest first [teeth/keys]', async () => {
    await keys.insert({ ...testKey('late'), createdAtMs: 3 })
    await keys.insert({ ...testKey('early'), wallet, scopes: ['quote', 'relay'], createdAtMs: 2 })
    const { secretHash: _, ...given } = testKey('early')
    const early = {
      ...given,
      wallet: wallet.toLowerCase(),
      scopes: ['quote', 'relay'],
      createdAtMs: 2,
      revokedAtMs: undefined,
      plan: undefined,
      walletChainId: undefined,
    }
    assert.equal(await keys.find('early'), early)
    assert.equal(await keys.findByWallet(wallet), early)
    assert.is((await ledger.balance('early')).total, 0)
    assert.equal(
      (await keys.list()).map(({ id }) => id),
      ['early', 'late'],
    )
    assert.is(await keys.find('nobody'), undefined)
    assert.is((await keys.find('late'))?.wallet, undefined)
  })

  s('revokes a valid key once, which is then found by its id alone [teeth/keys]', async () => {
    assert.is(await keys.revoke({ id: 'nobody', atMs: 5 }), false)
    assert.is(await keys.revoke({ id: 'early', atMs: 5 }), true)
    assert.is(await keys.revoke({ id: 'early', atMs: 6 }), false)
    assert.is((await keys.find('early'))?.revokedAtMs, 5)
    assert.is(await keys.findByWallet(wallet), undefined)
    assert.is(await keys.findBySecretHash(Buffer.from('early'), 7), undefined)
  })

  s('starts with what it is granted, noted as one credit [teeth/keys]', async () => {
    await keys.insert({ ...testKey('rich'), quotes: 3, freeQuotes: 4 })
    await keys.insert({
      ...testKey('guest'),
      wallet: '0x000000000000000000000000000000000000bbbb',
      quotes: 3,
      freeQuotes: 4,
    })
    await keys.insert(testKey('poor'))
    const entriesOf = async (id: string) =>
      (await ledger.entries(id, 9)).map(({ kind, units, ref }) => [kind, units, ref])
    // What is free is for wallets: a key without one has none of it.
    assert.equal(await entriesOf('rich'), [['grant', 3, 'created']])
    assert.equal(await entriesOf('guest'), [['grant', 7, 'created']])
    assert.equal(await entriesOf('poor'), [])
    assert.equal(await ledger.balance('poor'), { total: 0, used: 0, remaining: 0 })
    // Nor has a key that there is not.
    assert.equal(await ledger.balance('nobody'), { total: 0, used: 0, remaining: 0 })
  })

  s("holds a contract's wallet for another's on other chains [attack/wallet-chain]", async () => {
    const contract = '0x000000000000000000000000000000000000cccc'
    const own = '0x000000000000000000000000000000000000dddd'
    const add = (id: string, wallet: `0x${string}`, walletChainId?: number) =>
      keys.insert({ ...testKey(id), wallet, walletChainId })
    await add('base', contract, 8453)
    await add('arbitrum', contract, 42161)
    await add('own', own)
    const find = async (wallet: `0x${string}`, chainId?: number) =>
      (await keys.findByWallet(wallet, chainId))?.id
    assert.equal(
      [await find(contract, 8453), await find(contract, 42161), await find(contract)],
      ['base', 'arbitrum', undefined],
    )
    assert.equal([await find(own), await find(own, 8453)], ['own', undefined])
    assert.is((await keys.findBySecretHash(Buffer.from('base'), 2))?.walletChainId, 8453)
    const isWallet = (address: `0x${string}`) =>
      Promise.all([8453, 42161, 1].map((chainId) => keys.isWallet(address, chainId)))
    assert.equal(await isWallet(contract), [true, true, false])
    assert.equal(await isWallet(own), [true, true, true])

    let refused = 0
    for (const again of [() => add('again', contract, 8453), () => add('too', own)])
      await again().catch(() => (refused += 1))
    assert.is(refused, 2)

    await keys.revoke({ id: 'base', atMs: 5, abuse: 'burned gas' })
    const abuse = (address: `0x${string}`) =>
      Promise.all([8453, 42161, undefined].map((chainId) => keys.findAbuse(address, chainId)))
    assert.equal(await abuse(contract), ['burned gas', undefined, 'burned gas'])
    assert.equal(await isWallet(contract), [false, true, false])
    await keys.revoke({ id: 'own', atMs: 5, abuse: 'burned gas' })
    assert.equal(await abuse(own), ['burned gas', 'burned gas', 'burned gas'])
  })

  s(
    'finds keys by text, the newest first, and counts those it does not tell [store/key-search]',
    async () => {
      for (const [index, id] of ['Sun_1', 'sun%2', 'sun_3', 'sunx4'].entries()) {
        const createdAtMs = 10 + index
        await keys.insert({ ...testKey(id), label: 'of a team', createdAtMs })
      }
      const search = async (text: string, limit = 9) => {
        const { found, keys: shown } = await keys.search({ text, limit })
        return [found, ...shown.map(({ id }) => id)]
      }
      assert.equal((await search('SUN', 2))[0], 4)
      if (name === 'SQLite') assert.equal(await search('SUN', 2), [4, 'sunx4', 'sun_3'])
      assert.equal(new Set(await search('n_')), new Set([2, 'sun_3', 'Sun_1']))
      assert.equal(await search('n%2 x of A team'), [1, 'sun%2'])
      assert.equal(await search('\\'), [0])
    },
  )

  s('a valid key alone is given another secret, beside its old one for a while', async () => {
    await keys.insert(testKey('turned'))
    const turn = (id: string, to: string) =>
      keys.replaceSecret({
        id,
        secretHash: Buffer.from(to),
        start: 'y',
        atMs: 1_000,
        overlapMs: 500,
      })
    assert.equal([await turn('nobody', 'x'), await turn('turned', 'new')], [false, true])
    const find = async (secret: string, atMs: number) =>
      (await keys.findBySecretHash(Buffer.from(secret), atMs))?.id
    assert.equal([await find('new', 1_499), await find('turned', 1_499)], ['turned', 'turned'])
    assert.equal([await find('new', 1_500), await find('turned', 1_500)], ['turned', undefined])
    await keys.addTwin({ secretHash: Buffer.from('new'), twin: Buffer.from('twin') })
    assert.is(await find('twin', 1_500), 'turned')
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)

const s = suite('store/keys, by two gateways at once')

s('has one wait for the other where both give a key another secret', async () => {
  const { pool, texts } = createScriptedPool()
  const { replaceSecret } = createKeys(createPostgresEngine(pool, { time: 'caller' }))
  assert.is(
    await replaceSecret({ id: 'a', secretHash: Buffer.from('x'), start: 'y', atMs: 1 }),
    false,
  )
  assert.match(texts()[1] ?? '', / FOR NO KEY UPDATE$/)
})
s.run()
