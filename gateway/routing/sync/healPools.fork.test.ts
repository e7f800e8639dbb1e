import type { Address } from 'viem'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { base } from '../../chain/base.ts'
import { getDexes, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { createSyncDeps } from '../testing/syncDeps.ts'
import { sortByDepth } from './bounds/sortByDepth.ts'
import { createChainReader } from './chainReader.ts'
import { healPools } from './healPools.ts'
import { isSameSwaps } from './isSameSwaps.ts'
import type { SyncEvent } from './syncEvent.ts'
import { createSyncedState } from './syncedState.ts'
import { createTokenBook } from './tokenBook.ts'

const s = suite('pools that are not what the chain has')
const world = await startWorldChain({ chainId: base.chainId })
const rpc = createRpc(world.rpcUrl)
const chainClient = createChainClient({ chain: base, rpcUrls: [world.rpcUrl] })
s.after(async () => {
  chainClient.close()
  await world.close()
})

/** A reader by a clock of its own. */
function openReader() {
  const clock = { ms: 0 }
  const now = () => clock.ms
  const events: SyncEvent[] = []
  let stirs = 0
  const dexes = getDexes(base.chainId)
  const seeds = { seedTokens: seedTokens(base.chainId), wrappedNative: base.wrappedNative }
  const deps = {
    ...createSyncDeps({ chain: base, client: chainClient.client, dexes, now }),
    tokens: createTokenBook(seeds),
    observe: (event: SyncEvent) => void events.push(event),
  }
  const stirred = () => {
    stirs += 1
  }
  const reader = createChainReader(deps, { partnersOf: () => base.hubTokens, stirred })
  return { deps, clock, events, reader, audit: deps.audit, stirs: () => stirs }
}

const truth = openReader()
await truth.reader.load()
const loaded = truth.reader.current()
if (!loaded) throw new Error('it was loaded')
const { head } = loaded
const records = [...loaded.pools.values()]
const pairs = sortByDepth(records, base).filter((each) => each.protocol === 'uniswap_v2')
const [deep, shallow] = [pairs[0], pairs.at(-1)]
if (!deep || !shallow) throw new Error('the world has pairs')

/** A reader that took up the pools with some of them altered. */
async function openWith(alter: (record: PoolRecord) => PoolRecord) {
  const opened = openReader()
  const restored = { head, records: records.map(alter), tokens: [] }
  assert.ok(await opened.reader.restore(restored, { isInherited: false }))
  return opened
}

const stepMs = 30_000

s('are healed within a round, a deep one sooner, and counted [nodes/audit-heals]', async () => {
  const wrong = new Set([deep.id, shallow.id])
  const { clock, reader, events, audit } = await openWith((record) =>
    wrong.has(record.id) && 'reserve0' in record
      ? { ...record, reserve0: record.reserve0 * 2n }
      : record,
  )
  const isRight = (record: PoolRecord) => {
    const followed = reader.current()?.pools.get(record.id)
    return followed !== undefined && isSameSwaps(followed, record)
  }
  assert.not.ok(isRight(deep) || isRight(shallow))
  const healedAtMs = new Map<string, number>()
  while (clock.ms < 30 * 60_000 && healedAtMs.size < 2) {
    clock.ms += stepMs
    await reader.audit()
    for (const record of [deep, shallow])
      if (isRight(record) && !healedAtMs.has(record.id)) healedAtMs.set(record.id, clock.ms)
  }
  assert.ok((healedAtMs.get(deep.id) ?? Number.POSITIVE_INFINITY) <= 5 * 60_000)
  assert.ok(healedAtMs.has(shallow.id))
  assert.is(audit.status().healed, 2)
  assert.ok(events.some(({ event }) => event === 'healed'))
  for (const record of records) assert.ok(isRight(record), record.id)
})

s('are none where all is well: the state stays the very same [nodes/audit-idle]', async () => {
  const { clock, reader, audit, stirs } = await openWith((record) => record)
  const [before, stirred] = [reader.current(), stirs()]
  for (let step = 0; step < 10; step += 1) {
    clock.ms += stepMs
    await reader.audit()
    // Nothing is read between two steps.
    const { audited } = audit.status()
    await reader.audit()
    assert.is(audit.status().audited, audited)
  }
  assert.ok(audit.status().audited > 50)
  assert.is(reader.current(), before)
  assert.is(stirs(), stirred)
  assert.is(audit.status().healed, 0)
})

s('are left as they are while their block is another one at the node', async () => {
  const wrong = records.map((record) =>
    record.id === deep.id && 'reserve0' in record ? { ...record, reserve0: 1n } : record,
  )
  const orphaned = { ...head, hash: `0x${'ab'.repeat(32)}` as const }
  const state = createSyncedState({ taxOf: () => 0 }, { head: orphaned, records: wrong })
  const view = { status: 'following', state, passed: [], confirmedAtMs: 0 } as const
  const { deps, events } = openReader()
  assert.equal(await healPools(deps, { view, ids: [deep.id] }), { view, healed: undefined })
  assert.equal(events, [])
  const known = { ...view, state: { ...state, head } }
  const after = await healPools(deps, { view: known, ids: [deep.id] })
  assert.is(after.healed, 1)
  assert.ok(isSameSwaps(after.view.state.pools.get(deep.id) ?? shallow, deep))
})

s('leave the market when they no longer answer as pools [nodes/audit-heals]', async () => {
  const { clock, reader, audit } = await openWith((record) => record)
  await rpc('anvil_setCode', shallow.address as Address, '0x')
  while (clock.ms < 30 * 60_000 && reader.current()?.pools.has(shallow.id)) {
    clock.ms += stepMs
    await reader.audit()
  }
  assert.not.ok(reader.current()?.pools.has(shallow.id))
  assert.is(reader.current()?.pools.size, records.length - 1)
  assert.is(audit.status().healed, 1)
})
s.run()
