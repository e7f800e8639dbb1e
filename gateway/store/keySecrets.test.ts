import { keccak256, stringToBytes } from 'viem'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'

/** By which secrets a key is found, and until when. */
function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`store/keySecrets on ${name}`)
  s.after(close)
  const { keys } = store
  const hashOf = (text: string) => Buffer.from(text.padEnd(32, '.'))
  const find = async (secret: string, atMs = 1) =>
    (await keys.findBySecretHash(hashOf(secret), atMs))?.id
  async function add(id: string) {
    await keys.insert({
      id,
      idHash: keccak256(stringToBytes(id)),
      secretHash: hashOf(`${id} a`),
      start: 'x',
      label: '',
      wallet: undefined,
      scopes: ['quote'],
      createdAtMs: 1,
    })
  }
  const rotate = (id: string, to: string, overlapMs?: number) =>
    keys.replaceSecret({
      id,
      secretHash: hashOf(`${id} ${to}`),
      start: 'y',
      atMs: 1_000,
      overlapMs,
    })
  const addTwin = (id: string, of: string, twin: string) =>
    keys.addTwin({ secretHash: hashOf(`${id} ${of}`), twin: hashOf(`${id} ${twin}`) })

  s('finds a key by its old secret until the overlap is over [24/overlap]', async () => {
    await add('one')
    assert.ok(await rotate('one', 'b', 500))
    assert.is(await find('one b'), 'one')
    assert.is(await find('one a', 1_499), 'one')
    assert.is(await find('one a', 1_500), undefined)
    // A second rotation without one stops all that were before.
    assert.ok(await rotate('one', 'c'))
    for (const secret of ['one a', 'one b']) assert.is(await find(secret), undefined)
    assert.is(await find('one c'), 'one')
    await keys.revoke({ id: 'one', atMs: 2 })
    assert.is(await find('one c'), undefined)
  })

  s('finds no revoked key by what it was before', async () => {
    await add('gone')
    await rotate('gone', 'b', 500)
    assert.is(await find('gone a'), 'gone')
    await keys.revoke({ id: 'gone', atMs: 2 })
    assert.is(await find('gone a'), undefined)
    // However often it is asked for, with an overlap or without.
    for (const overlapMs of [500, 500, undefined])
      assert.not.ok(await rotate('gone', 'c', overlapMs))
    assert.is(await find('gone c'), undefined)
  })

  s('leaves each secret that two rotations at once replace', async () => {
    await add('both')
    assert.equal(await Promise.all([rotate('both', 'b', 500), rotate('both', 'c', 500)]), [
      true,
      true,
    ])
    for (const secret of ['both a', 'both b', 'both c']) assert.is(await find(secret), 'both')
  })

  s('finds a key by the same secret under another pepper, however often it is added', async () => {
    await add('two')
    await Promise.all([addTwin('two', 'a', 'twin'), addTwin('two', 'a', 'twin')])
    assert.is(await find('two twin'), 'two')
    assert.is(await find('two a'), 'two')
    await addTwin('two', 'unknown', 'nothing')
    assert.is(await find('two nothing'), undefined)
    // In an overlap both go on, and end together.
    await rotate('two', 'b', 500)
    for (const secret of ['two twin', 'two a']) {
      assert.is(await find(secret, 1_499), 'two')
      assert.is(await find(secret, 1_500), undefined)
    }
    await add('other')
    assert.is(await find('other a'), 'other')
  })

  s(
    'stops twins where a gateway rotates that knows nothing of them [24/old-rotation]',
    async () => {
      await add('old')
      await addTwin('old', 'a', 'twin')
      const statement =
        name === 'SQLite'
          ? "UPDATE keys SET secret_hash = x'00' WHERE id = 'old'"
          : "UPDATE keys SET secret_hash = '\\x00' WHERE id = 'old'"
      await store.execute(statement)
      for (const secret of ['old a', 'old twin']) assert.is(await find(secret), undefined)
      // Nor does an overlap of what came after them bring them back.
      await rotate('old', 'b', 500)
      for (const secret of ['old a', 'old twin']) assert.is(await find(secret), undefined)
    },
  )
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
