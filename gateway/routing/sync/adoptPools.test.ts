import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { BlockOrphaned, isCausedBy } from '../../chain/client.ts'
import { readBlock } from '../reads/readHead.ts'
import { waitBefore } from '../reads/waitBefore.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'
import { adoptPools, findTokens } from './adoptPools.ts'
import { createSyncedState } from './syncedState.ts'

const s = suite('pools that come in behind a block')

/** A view of the head without any pool, and all of them to be taken in. */
async function holdEmpty() {
  let asked: readonly string[] = []
  const held = await holdMainnet(base, {
    pools: 40,
    blocksBefore: 4,
    told(calls) {
      asked = [...asked, ...calls.map(({ method }) => method)]
    },
  })
  const head = held.reader.current()?.head
  if (!head) throw new Error('it holds its pools')
  const state = createSyncedState(held.deps, { head, records: [] })
  const view = { status: 'following', state, passed: [], confirmedAtMs: undefined } as const
  asked = []
  return {
    ...held,
    view,
    hasAsked: () => asked.includes('eth_call'),
    adopt: () => adoptPools(held.deps, { view, found: held.refs }),
  }
}

s('are those of the very block', async () => {
  using held = await holdEmpty()
  assert.is((await held.adopt()).state.pools.size, held.refs.length)
})

s(
  'are none where another block was told of in its place meanwhile [nodes/adopt-orphaned]',
  async () => {
    using held = await holdEmpty()
    await held.mainnet.reorg(1)
    // As a look at the new head does that came to nothing.
    await readBlock(held.deps)
    const adopted = await held.adopt().catch((error: unknown) => error)
    assert.ok(isCausedBy(adopted, BlockOrphaned))
  },
)

s(
  'are none where that happens between looking for them and reading them [nodes/found-orphaned]',
  async () => {
    using held = await holdEmpty()
    const { deps, view, mainnet } = held
    let replacing: Promise<unknown> | undefined
    const client = waitBefore(deps.client, async () => {
      if (held.hasAsked()) replacing ??= mainnet.reorg(1).then(() => readBlock(deps))
      await replacing
    })
    const wanted = mainnet.pools.slice(0, 8).flatMap(({ token0, token1 }) => [token0, token1])
    const found = await findTokens({ ...deps, client }, { view, wanted, partners: [] }).catch(
      (error: unknown) => error,
    )
    assert.ok(isCausedBy(found, BlockOrphaned))
  },
)
s.run()
