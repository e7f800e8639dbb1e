import { getAddress } from 'viem'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'

const address = getAddress('0x000000000000000000000000000000000000aaaa')

function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`store/challenges on ${name}`)
  s.after(close)
  const { challenges } = store
  const challengeOf = (nonce: string, expiresAtMs: number) => ({
    nonce,
    address,
    chainId: 1,
    message: `sign ${nonce}`,
    expiresAtMs,
  })
  const add = (nonce: string, nowMs: number, expiresAtMs: number) =>
    challenges.insert({ nowMs }, (atMs) => ({
      ...challengeOf(nonce, expiresAtMs),
      message: `${atMs}`,
    }))

  s('keeps a challenge until it expires, and lets it be used once [teeth/challenges]', async () => {
    const kept = await add('a', 5, 100)
    assert.equal(kept, { ...challengeOf('a', 100), message: '5' })
    assert.equal(await challenges.find({ nonce: 'a', nowMs: 99 }), kept)
    assert.is(await challenges.find({ nonce: 'a', nowMs: 100 }), undefined)
    assert.is(await challenges.find({ nonce: 'b', nowMs: 5 }), undefined)
    assert.equal([await challenges.use('a'), await challenges.use('a')], [true, false])
    assert.is(await challenges.find({ nonce: 'a', nowMs: 5 }), undefined)
  })
  s('forgets those that have expired when another comes [teeth/challenges]', async () => {
    await add('old', 5, 50)
    await add('next', 50, 90)
    assert.is((await challenges.find({ nonce: 'old', nowMs: 5 }))?.nonce, 'old')
    await add('last', 51, 90)
    assert.is(await challenges.find({ nonce: 'old', nowMs: 5 }), undefined)
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
