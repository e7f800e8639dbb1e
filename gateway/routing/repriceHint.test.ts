import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { base } from '../chain/base.ts'
import { poolOf } from './engine/market.ts'
import { repriceHint } from './repriceHint.ts'
import { createSharedHints } from './sharedHints.ts'
import { holdMainnet } from './testing/mainnet/holdMainnet.ts'

const s = suite('routing/repriceHint')
const { chain } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
s.after(() => chain.chainClient.close())
const followed = chain.sync.current()
if (!followed) throw new Error('a generated chain has a state')
const [poolId = ''] = followed.pools.keys()

s('asks the node once for all who need the same pools [strangers/one-hint]', async () => {
  const answer = Promise.withResolvers<null>()
  let heads = 0
  const request = async () => {
    heads += 1
    return answer.promise
  }
  const old = {
    ...chain,
    sync: { lagMs: () => 10_000 },
    chainClient: { client: { ...chain.chainClient.client, request } as never },
  }
  const routes = [{ steps: [{ poolId }] }]
  const hints = Array.from({ length: 20 }, (_, n) =>
    repriceHint(old, { state: followed, routes, asker: { caller: `key ${n}` } }),
  )
  answer.resolve(null)
  // A node without a block has no answer: the old state is theirs.
  assert.equal(new Set(await Promise.all(hints)), new Set([undefined]))
  assert.is(heads, 1)
})

s('is none where another block came in its place meanwhile [nodes/hint-orphaned]', async () => {
  let isShaken = false
  const held = await holdMainnet(base, {
    pools: 20,
    blocksBefore: 2,
    told(calls) {
      if (!isShaken || calls.every(({ method }) => method !== 'eth_call')) return
      isShaken = false
      void held.mainnet.reorg(1)
    },
  })
  using _ = held
  const state = held.reader.current()
  if (!state) throw new Error('it holds its pools')
  const [first = ''] = state.pools.keys()
  const hint = () => {
    const old = {
      ...chain,
      // Of a token nobody knows what it takes of a transfer.
      taxes: { get: () => undefined },
      dexes: held.deps.dexes,
      hints: createSharedHints({ now: () => 0 }),
      sync: { lagMs: () => 10_000 },
      chainClient: held.chainClient.as('simulation'),
    }
    return repriceHint(old, { state, routes: [{ steps: [{ poolId: first }] }], asker: undefined })
  }
  const found = await hint()
  assert.is(found?.head.hash, state.head.hash)
  const rateIn = ({ market }: Pick<typeof state, 'market'>) =>
    poolOf(market, first)?.curve(0, 1)?.a[0]
  assert.ok((rateIn(state) ?? 0) > 0)
  assert.is(found && rateIn(found), rateIn(state))
  isShaken = true
  assert.is(await hint(), undefined)
})

s('asks for nothing of what is fresh, or of pools that nobody can read [teeth/hints]', async () => {
  const asked: string[][] = []
  const ask = (lagMs: number, id: string, dexes = chain.dexes) =>
    repriceHint(
      {
        ...chain,
        dexes,
        sync: { lagMs: () => lagMs },
        async hints(ids) {
          asked.push([...ids])
          return followed
        },
      },
      { state: followed, routes: [{ steps: [{ poolId: id }, { poolId: id }] }], asker: undefined },
    )
  assert.is(await ask(3_000, poolId), undefined)
  assert.is(await ask(3_001, 'gone'), undefined)
  assert.is(await ask(3_001, poolId, []), undefined)
  assert.equal(asked, [])
  assert.is(await ask(3_001, poolId), followed)
  assert.equal(asked, [[poolId]])
})

s.run()
