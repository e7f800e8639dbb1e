import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { base } from '../chain/base.ts'
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
  const hint = () => {
    const old = {
      ...chain,
      dexes: held.deps.dexes,
      hints: createSharedHints({ now: () => 0 }),
      sync: { lagMs: () => 10_000 },
      chainClient: held.chainClient.as('simulation'),
    }
    const [first = ''] = state.pools.keys()
    return repriceHint(old, { state, routes: [{ steps: [{ poolId: first }] }], asker: undefined })
  }
  assert.is((await hint())?.head.hash, state.head.hash)
  isShaken = true
  assert.is(await hint(), undefined)
})

s.run()
