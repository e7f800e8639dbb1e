import type { Address } from 'viem'
import { hashOf, hourMs, startSettling } from '../../fixtures/store/settle.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Fill, FillBook } from './nonces.ts'

const signer: Address = '0x000000000000000000000000000000000051913E'
const other: Address = '0x0000000000000000000000000000000000000bad'
const txOf = (text: string, price: bigint): Fill => ({
  hash: hashOf(text),
  raw: hashOf(text),
  gasLimit: 21_000n,
  maxFeePerGasWei: price,
  maxPriorityFeePerGasWei: 1n,
})

/** What stands at the nonces of one key: deployments, settlements and fills of one chain. */
function addTests(engine: StoreEngine) {
  const s = suite(`nonces on ${engine.name}`)
  s.after(engine.close)
  const { relay } = engine.store
  let owners = 0

  /** Each test has a chain of its own. */
  function open(chainId: number) {
    const key = { chainId, signer }
    const books: FillBook[] = []
    return {
      key,
      books,
      async deploy(chainNonce: number, nowMs = 1_000) {
        owners += 1
        const owner: Address = `0x${owners.toString(16).padStart(40, '0')}`
        const asked = { ...key, owner, chainNonce, nowMs, windowMs: hourMs, markerMs: 1 }
        await relay.reserve(asked, () => ({
          kind: 'insert',
          proxy: owner,
          signed: { attempt: txOf(`deployment ${owner}`, 50n), reservedWei: 7n },
          value: undefined,
        }))
      },
      async lose(nonce: number) {
        const row = (await relay.listOpen(chainId)).find((one) => one.nonce === nonce)
        if (!row) throw new Error(`nothing is open at ${nonce}`)
        await relay.settle({ id: row.id, from: 'pending', outcome: { status: 'lost' } })
      },
      fill: (
        nonce: number,
        { price = 1n, ...given }: { price?: bigint; nowMs?: number; replaces?: number } = {},
      ) =>
        relay.fill({ ...key, nonce, nowMs: 1_000, windowMs: hourMs, ...given }, (book) => {
          books.push(book)
          const fill = txOf(`fill ${chainId} ${nonce} ${price}`, price)
          return price === 0n ? undefined : { fill, reservedWei: price * 10n }
        }),
    }
  }

  s(
    'is told what deployments and fills have reserved of the hour [teeth/nonce-fills]',
    async () => {
      // First of all: the book's first row counts like any other.
      const { deploy, fill, books } = open(6)
      await deploy(3)
      await fill(2, { price: 5n })
      await fill(1, { price: 4n })
      await fill(0, { price: 0n, nowMs: 999 + hourMs })
      await fill(0, { price: 0n, nowMs: 1_000 + hourMs })
      assert.equal(
        books.map(({ nowMs, spendWei, fillsInWindow }) => [nowMs, spendWei, fillsInWindow]),
        [
          [1_000, 7n, 0],
          [1_000, 57n, 1],
          [999 + hourMs, 97n, 2],
          [1_000 + hourMs, 0n, 0],
        ],
      )
    },
  )

  s('a key that has signed nothing has no highest nonce [teeth/nonces]', async () => {
    const { key } = open(1)
    assert.equal([await relay.highestNonce(key), await relay.highestDeployment(key)], [-1, -1])
    assert.equal(await relay.missingNonces({ ...key, from: 0 }), [])
    assert.equal(await relay.listFills({ ...key, from: 0 }), [])
  })

  s('counts deployments, settlements and fills of its key alone [teeth/nonces]', async () => {
    const { key, deploy, fill, lose } = open(2)
    await deploy(3)
    assert.equal([await relay.highestNonce(key), await relay.highestDeployment(key)], [3, 3])
    const pay = await startSettling(engine.store, 2)
    assert.is((await pay(1n, 1_000, { signer })).signerNonce, 7)
    await deploy(9)
    assert.equal(await relay.missingNonces({ ...key, from: 2 }), [2, 4, 5, 6, 8])
    await fill(5)
    assert.equal(await relay.missingNonces({ ...key, from: 4 }), [4, 6, 8])
    assert.is(await relay.highestNonce(key), 9)
    // A lost deployment is sent no more: its nonce is missing, but was signed for.
    await lose(9)
    assert.equal([await relay.highestNonce(key), await relay.highestDeployment(key)], [9, 3])
    assert.equal(await relay.missingNonces({ ...key, signer: other, from: 2 }), [])
    assert.is(await relay.highestNonce({ ...key, signer: other }), -1)
  })

  s('names a hundred missing nonces at most, the lowest [teeth/nonces]', async () => {
    const { key, deploy } = open(3)
    await deploy(150)
    await deploy(400)
    const missing = await relay.missingNonces({ ...key, from: 10 })
    assert.equal(
      missing,
      Array.from({ length: 100 }, (_, index) => 10 + index),
    )
  })

  s('fills what is missing alone, and answers what is there [teeth/nonce-fills]', async () => {
    const { key, deploy, fill, books } = open(4)
    await deploy(3)
    assert.is(await fill(3), undefined)
    assert.is(await fill(4), undefined)
    assert.equal(books, [])
    assert.is(await fill(2, { price: 0n }), undefined)
    assert.equal(await relay.listFills({ ...key, from: 0 }), [])
    const filled = await fill(2, { price: 5n })
    assert.equal(filled, { ...txOf('fill 4 2 5', 5n), nonce: 2, signedAtMs: 1_000 })
    assert.is(books.length, 2)
    assert.equal(await fill(2, { price: 6n }), filled)
    assert.equal(await fill(2, { price: 6n, replaces: 999 }), filled)
    assert.is(books.length, 2)
  })

  s('a raised fill takes the place of the one it names [teeth/nonce-fills]', async () => {
    const { key, deploy, fill, books } = open(5)
    await deploy(3)
    await fill(2, { price: 5n })
    await fill(1, { price: 4n })
    const raised = await fill(2, { price: 6n, replaces: 1_000, nowMs: 2_000 })
    assert.equal(raised, { ...txOf('fill 5 2 6', 6n), nonce: 2, signedAtMs: 2_000 })
    const { previous } = books.at(-1) ?? {}
    assert.equal([previous?.maxFeePerGasWei, previous?.maxPriorityFeePerGasWei], [5n, 1n])
    const listed = await relay.listFills({ ...key, from: 1 })
    assert.equal(
      listed.map(({ nonce, maxFeePerGasWei }) => [nonce, maxFeePerGasWei]),
      [
        [1, 4n],
        [2, 6n],
      ],
    )
    assert.equal(await relay.listFills({ ...key, from: 2 }), [raised])
    assert.equal(await relay.listFills({ ...key, from: 3 }), [])
    assert.equal(await relay.listFills({ chainId: 4, signer: other, from: 0 }), [])
  })

  s(
    'counts a deployment that cost more than was reserved at its cost [teeth/nonce-fills]',
    async () => {
      const { key, deploy, fill, books } = open(8)
      await deploy(3)
      const [row] = await relay.listOpen(key.chainId)
      const hash = hashOf('block')
      const mined = { blockNumber: 1n, blockHash: hash, minedHash: hash, actualWei: 9n }
      await relay.settle({
        id: row?.id ?? 0,
        from: 'pending',
        outcome: { status: 'mined', ...mined },
      })
      await fill(2, { price: 0n })
      assert.is(books[0]?.spendWei, 9n)
    },
  )

  s('is told what a lost deployment was signed for [teeth/nonce-fills]', async () => {
    const { deploy, lose, fill, books } = open(7)
    await deploy(3)
    await deploy(5)
    await lose(3)
    await fill(3)
    await fill(4)
    const prices = { maxFeePerGasWei: 50n, maxPriorityFeePerGasWei: 1n }
    assert.equal(
      books.map(({ previous }) => previous),
      [prices, undefined],
    )
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
