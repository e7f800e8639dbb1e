import { createMainnet } from '../../../fixtures/nodes/mainnet/createMainnet.ts'
import { isUsual, type Pace, paces } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getDexes, seedTokens } from '../../chain/chains.ts'
import { openStore } from '../../store/openStore.ts'
import type { PoolSnapshots } from '../../store/pools.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { openMainnet } from '../testing/mainnet/openMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'
import { createChainSync } from './chainSync.ts'
import type { SyncedState } from './syncedState.ts'

/** A made-up Base whose blocks go that nobody remembers: those before its pools were loaded. */
const s = suite('a reorganisation deeper than what is remembered')
const majors = new Set(
  [...base.hubTokens, ...(base.majorTokens ?? [])].map((token) => token.toLowerCase()),
)
/** Three for blocks and hashes, and one for each family. */
const mostCallsOfMajors = 14
const deep = 12
/** More than are looked at one by one. */
const farBehind = 130
const slow = paces[8453] as Pace

/** Follows it, asked for each block, and keeps each state that was to be quoted. */
async function openSync({
  pace,
  mainnet = createMainnet({ chainId: 8453, pools: 120, seed: 4, pace }),
  snapshots,
}: {
  readonly pace?: Pace | undefined
  readonly mainnet?: ReturnType<typeof createMainnet>
  readonly snapshots?: PoolSnapshots
} = {}) {
  const calls: string[] = []
  const states = new Map<SyncedState, readonly string[]>()
  const told = (asked: readonly { readonly method: string }[]) =>
    calls.push(...asked.map(({ method }) => method))
  const chainClient = openMainnet({ chain: base, mainnet, told })
  const dexes = getDexes(8453).filter(({ protocol }) => isUsual(protocol))
  const stirs = { next: () => {} }
  const sync = createChainSync({
    chainClient,
    dexes,
    seedTokens: seedTokens(8453),
    pollMs: 3_600_000,
    maxAgeMs: 0,
    loadsFirst: 'majors',
    snapshots,
    stirred() {
      const state = sync.current()
      if (state && !states.has(state)) states.set(state, [...calls])
      stirs.next()
    },
  })
  return {
    mainnet,
    sync,
    calls,
    states,
    stirs,
    ids: () => [...(sync.current()?.pools.keys() ?? [])].sort(),
    forget() {
      calls.length = 0
      states.clear()
    },
    /** Of each state that was quoted since, and whose block is there, what that does not have. */
    async listWrong(): Promise<readonly string[]> {
      const listed = [...states.keys()].map(async ({ head, pools: followed }) => {
        if (head.hash !== mainnet.blockAt(Number(head.number))?.hash) return []
        const [records, blockNumber] = [[...followed.values()], head.number]
        const fresh = await readMainnet({ chain: base, mainnet, dexes }, { records, blockNumber })
        return records.flatMap((record) => {
          const read = fresh.get(record.id)
          return read ? (compareRecords(record, read) ?? []) : [`${record.id} is not there`]
        })
      })
      return (await Promise.all(listed)).flat()
    },
    async [Symbol.asyncDispose]() {
      await sync.close()
      chainClient.close()
    },
  }
}

/** The same with all of it loaded, and some blocks behind it. */
async function openLoaded(options: Parameters<typeof openSync>[0] = {}) {
  const opened = await openSync(options)
  opened.mainnet.mine(deep)
  await opened.sync.start()
  await opened.sync.loading()
  for (let block = 0; block < 4; block += 1) {
    opened.mainnet.mine()
    await opened.sync.fresh()
  }
  opened.forget()
  return opened
}

type Opened = Awaited<ReturnType<typeof openSync>>

/** That the first state is of the majors alone, by a few calls, none of which looks for pools. */
function checkFirst({ mainnet, states }: Opened): void {
  const [[first, calls] = []] = states
  assert.is(first?.head.hash, mainnet.head().hash)
  assert.ok((first?.pools.size ?? 0) > 5, `${first?.pools.size} pools`)
  for (const { tokens } of first?.pools.values() ?? [])
    assert.ok(tokens.every((token) => majors.has(token)))
  assert.not(calls?.includes('eth_getLogs'))
  const asked = calls?.filter((method) => method === 'eth_call').length ?? 0
  assert.ok(asked > 0 && asked <= mostCallsOfMajors, `${asked} calls`)
}

/** Once all is loaded: those of before that are still there, and each state what its block has. */
async function checkWhole(opened: Opened, before: readonly string[]): Promise<void> {
  const { mainnet, sync, ids } = opened
  assert.is(sync.current()?.head.hash, mainnet.head().hash)
  assert.equal(await opened.listWrong(), [])
  const followed = new Set(ids())
  assert.equal(
    before.filter((id) => mainnet.book.get(id) && !followed.has(id)),
    [],
  )
}

/** That nothing was looked for until all of before that are still there were followed again. */
function checkKnownFirst({ mainnet, states }: Opened, before: readonly string[]): void {
  const known = before.filter((id) => mainnet.book.get(id))
  const [, calls = []] = [...states].find(([{ pools }]) => known.every((id) => pools.has(id))) ?? []
  assert.ok(calls.includes('eth_call'))
  assert.not(calls.includes('eth_getLogs'))
}

s('has the majors quoted first, and the others behind [nodes/deep-majors]', async () => {
  await using opened = await openLoaded()
  const before = opened.ids()
  await opened.mainnet.reorg(deep)
  await opened.sync.fresh()
  checkFirst(opened)
  await opened.sync.loading()
  checkKnownFirst(opened, before)
  await checkWhole(opened, before)
})

s('is met as one at the end of an outage [nodes/deep-outage]', async () => {
  await using opened = await openLoaded({ pace: { ...slow, logs: [60, 90], crowdedLogs: 90 } })
  const before = opened.ids()
  opened.mainnet.mine(farBehind)
  await opened.mainnet.reorg(farBehind + deep)
  await opened.sync.fresh()
  checkFirst(opened)
  await opened.sync.loading()
  checkKnownFirst(opened, before)
  await checkWhole(opened, before)
})

s('has blocks and another one go by before the others are read [nodes/deep-again]', async () => {
  await using opened = await openLoaded()
  const { mainnet, sync, states, stirs } = opened
  const before = opened.ids()
  const heads: (readonly [string, number])[] = []
  stirs.next = () => {
    heads.push([sync.current()?.head.hash ?? '', opened.ids().length])
    if (heads.length === 2) mainnet.mine()
    if (heads.length === 4) void mainnet.reorg(deep)
    if (heads.length === 2 || heads.length === 4) void sync.fresh()
  }
  await mainnet.reorg(deep)
  await sync.fresh()
  await sync.loading()
  const [first, second, third, , again] = heads
  assert.not(second?.[0] === third?.[0])
  assert.ok((third?.[1] ?? 0) < before.length, 'all of them were waited for')
  assert.is(again?.[0], mainnet.head().hash)
  assert.is(again?.[1], first?.[1])
  assert.ok(states.size > 5)
  await checkWhole(opened, before)
})

s(
  'leaves no pool of an orphaned block, and misses none of another [nodes/deep-created]',
  async () => {
    await using opened = await openLoaded()
    const { mainnet, sync, ids } = opened
    const before = ids()
    const stayed = mainnet.head().number - deep
    await mainnet.reorg(deep)
    await sync.fresh()
    await sync.loading()
    assert.ok(before.some((id) => !mainnet.book.get(id)))
    assert.ok(ids().some((id) => (mainnet.book.get(id)?.createdBlock ?? 0) > stayed))
    await checkWhole(opened, before)
    await using anew = await openSync({ mainnet })
    await anew.sync.start()
    await anew.sync.loading()
    assert.equal(
      anew.ids().filter((id) => !ids().includes(id)),
      [],
    )
  },
)

s('is met as one where the gateway was away [nodes/deep-restart]', async () => {
  const store = openStore({ path: ':memory:' })
  const loaded = await openLoaded({ snapshots: store.pools })
  const { mainnet } = loaded
  const before = loaded.ids()
  await loaded[Symbol.asyncDispose]()
  await mainnet.reorg(deep)
  await using opened = await openSync({ mainnet, snapshots: store.pools })
  await opened.sync.start()
  opened.states.set(opened.sync.current() as SyncedState, [...opened.calls])
  checkFirst(opened)
  await opened.sync.loading()
  checkKnownFirst(opened, before)
  await checkWhole(opened, before)
  store.close()
})
s.run()
