import type { Address } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { type Prepared, prepareState, sourceOf } from './prepareState.ts'
import { createSoughtTokens, type RoutingChain } from './routingChain.ts'
import type { ChainSync } from './sync/chainSync.ts'
import { advanceState } from './sync/syncedState.ts'
import type { TaxBook } from './taxBook.ts'
import { e18, pair } from './testing/boundMarket.ts'
import { fakeAddress } from './testing/viewNode.ts'

const s = suite('the state of a request')
const { chain: generated, market } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
const [weth, one, other] = market.addresses as [Address, Address, Address]
const [stranger, nobody] = [fakeAddress(1), fakeAddress(2)]
const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const followed = generated.sync.current()
if (!followed) throw new Error('a generated chain is always read')
const known = followed

function createStand({
  sync,
  taxes,
}: {
  readonly sync?: Partial<ChainSync>
  readonly taxes?: Partial<TaxBook>
} = {}) {
  const asked: (readonly string[])[] = []
  const chain: RoutingChain = {
    ...generated,
    sought: createSoughtTokens({ now: () => 0 }),
    sync: { ...generated.sync, asked: (tokens) => void asked.push(tokens), ...sync },
    taxes: { ...generated.taxes, ...taxes },
  }
  return { chain, asked, prepare: async (...tokens: Address[]) => prepareState(chain, tokens) }
}
function stateOf(prepared: Prepared) {
  if (prepared.status !== 'ok') throw new Error(prepared.reason)
  return prepared
}

s('tells who follows the pools what was asked for, each token once [teeth/prepared]', async () => {
  const { chain, asked, prepare } = createStand()
  const prepared = stateOf(await prepare(native, weth, `0x${one.slice(2).toUpperCase()}`))
  assert.equal(asked, [[weth, one]])
  assert.is(prepared.state, known)
  assert.equal([...prepared.read], [])
  assert.is(sourceOf(chain, prepared, [native, one]), 'local')
})
s('has what was looked for, and says what was read for it [teeth/prepared]', async () => {
  const made = pair([weth, stranger], [1_000n * e18, 1_000n * e18])
  const found = advanceState(
    { taxOf: () => 0 },
    { state: known, head: known.head, changed: [made] },
  )
  const { chain, prepare } = createStand({
    sync: { discover: async () => ({ status: 'looked', state: found }) },
  })
  const prepared = stateOf(await prepare(weth, stranger, nobody))
  assert.is(prepared.state, found)
  assert.equal([...prepared.read], [stranger])
  assert.equal(
    [
      sourceOf(chain, prepared, [weth, stranger]),
      sourceOf(chain, prepared, [native, nobody]),
      sourceOf(chain, prepared, [stranger.toUpperCase().replace('0X', '0x') as Address]),
    ],
    ['rpc', 'local', 'rpc'],
  )
})

/** What is measured and priced anew for two tokens of the chain and one that nobody has. */
async function prepareTaxed({
  isTaxed,
  repriced,
  taxOf = () => undefined,
}: {
  readonly isTaxed: boolean
  readonly repriced?: typeof known | undefined
  readonly taxOf?: TaxBook['get']
}) {
  const [measured, priced]: [string[], (readonly string[])[]] = [[], []]
  const { prepare } = createStand({
    taxes: {
      get: taxOf,
      async measure(samples) {
        measured.push(...samples.map(({ address }) => address.toLowerCase()))
        return isTaxed
      },
    },
    sync: {
      async reprice(tokens) {
        priced.push(tokens)
        return repriced
      },
    },
  })
  const { state } = stateOf(await prepare(one, other, nobody))
  return { state, measured, priced }
}
s('is priced anew where a tax comes to light, and only there [teeth/prepared]', async () => {
  const repriced = { ...known }
  const plain = await prepareTaxed({ isTaxed: false, repriced })
  assert.equal([plain.measured, plain.priced], [[one, other], []])
  assert.is(plain.state, known)
  const taxed = await prepareTaxed({ isTaxed: true, repriced })
  assert.equal([taxed.measured, taxed.priced], [[one, other], [[one, other, nobody]]])
  assert.is(taxed.state, repriced)
  assert.is((await prepareTaxed({ isTaxed: true })).state, known, 'nobody could')
  const told = await prepareTaxed({
    isTaxed: true,
    taxOf: (token) => (token === one ? 0 : undefined),
  })
  assert.equal(told.measured, [other])
  const all = await prepareTaxed({ isTaxed: true, taxOf: () => 0 })
  assert.equal([all.measured, all.priced], [[], []])
})
s('is looked for once in a while, and not before the chain was read [teeth/prepared]', async () => {
  const looked: (readonly string[])[] = []
  const { prepare } = createStand({
    sync: {
      async discover(tokens) {
        looked.push(tokens)
        return { status: 'looked', state: undefined }
      },
    },
  })
  for (const tokens of [[stranger], [stranger], [stranger, one], [nobody, stranger]])
    assert.is(stateOf(await prepare(...tokens)).state, known)
  // With another token at hand a pool of both may be found.
  assert.equal(looked, [[stranger], [stranger], [nobody]])
  const unread = createStand({ sync: { fresh: async () => undefined } })
  assert.equal(await unread.prepare(one), {
    status: 'unavailable',
    reason: 'the chain has not been read yet',
  })
})
s('is unavailable where it was not looked for, and says why [teeth/prepared]', async () => {
  const looking = (discover: ChainSync['discover']) => createStand({ sync: { discover } })
  const busy = looking(async () => ({ status: 'busy' }))
  assert.equal(await busy.prepare(stranger), {
    status: 'unavailable',
    reason: 'too many new tokens are waiting to be looked for',
  })
  const gone = looking(() => Promise.reject(new Error('the node is gone')))
  assert.equal(await gone.prepare(stranger), {
    status: 'unavailable',
    reason: 'the chain did not answer',
  })
  assert.is((await gone.prepare(one)).status, 'ok', 'of known tokens nobody has to look')
})
s.run()
