import { createMainnet } from '../../../fixtures/nodes/mainnet/createMainnet.ts'
import type { BookedPool } from '../../../fixtures/nodes/mainnet/pools/createPoolBook.ts'
import { isUsual } from '../../../fixtures/nodes/mainnet/shares.ts'
import type { NodeSource } from '../../../fixtures/nodes/source/nodeSource.ts'
import { startNode } from '../../../fixtures/nodes/start/startNode.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getChain, getDexes, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import type { LimitBook } from '../../chain/nodes/rememberLimits.ts'
import { openStore } from '../../store/openStore.ts'
import type { PoolSnapshots } from '../../store/pools.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { type ChainSyncParameters, createChainSync } from './chainSync.ts'
import type { SyncEvent } from './syncEvent.ts'

/** A made-up Base, loaded with the pools of its majors first and the others behind them. */
const s = suite('a load that is quoted before its end')
const mainnet = createMainnet({ chainId: 8453, pools: 120, seed: 4 })
/** Look-ups of all exchanges travel together; of what they find, each family is read in a call or two. */
const mostFirstCalls = 18
const dexes = getDexes(8453).filter(({ protocol }) => isUsual(protocol))
const toSet = (tokens: readonly string[]) => new Set(tokens.map((token) => token.toLowerCase()))
const hubs = toSet(base.hubTokens)
const deepest = toSet(base.hubTokens.slice(0, 2))
const majors = toSet(base.majorTokens)
/** Of two hubs, or of a major and one of the deepest. */
const isFirst = ({ tokens }: Pick<PoolRecord, 'tokens'>) =>
  tokens.every((token) => hubs.has(token)) ||
  (tokens.some((token) => majors.has(token)) && tokens.some((token) => deepest.has(token)))
const store = openStore({ path: ':memory:' })
/** A test that fails leaves its own behind, which would keep the file from its end. */
const open = new Set<() => Promise<void>>()
s.after(async () => {
  for (const close of open) await close()
  store.close()
})

/** A node that answers so many calls and refuses those after them. */
function answerSome(most: number): NodeSource {
  let answered = 0
  return {
    ...mainnet,
    ask: async (calls) =>
      (await mainnet.ask(calls)).map((answer, index) => {
        if (calls[index]?.method !== 'eth_call') return answer
        answered += 1
        return answered > most ? { error: { code: -32000, message: 'out of service' } } : answer
      }),
  }
}

function refuseWhile(isOut: () => boolean): NodeSource {
  return {
    ...mainnet,
    ask: async (calls) =>
      (await mainnet.ask(calls)).map((answer, index) =>
        isOut() && calls[index]?.method === 'eth_call'
          ? { error: { code: -32000, message: 'out of service' } }
          : answer,
      ),
  }
}

async function openSync({
  source = mainnet,
  book = { read: async () => undefined, write: async () => undefined },
  ...parameters
}: Pick<ChainSyncParameters, 'loadsFirst' | 'deepPools' | 'observe' | 'stirred'> & {
  readonly source?: NodeSource
  readonly snapshots?: PoolSnapshots
  readonly book?: LimitBook
}) {
  const node = await startNode({ profile: 'own-reth', upstream: source, speed: 100 })
  const chain = getChain(8453)
  if (!chain) throw new Error('chain 8453 is built in')
  const chainClient = createChainClient({ chain, rpcUrls: [node.url] })
  const limits = await chainClient.remember(book)
  const sync = createChainSync({
    chainClient,
    dexes,
    seedTokens: seedTokens(8453),
    pollMs: 20,
    maxAgeMs: 500,
    ...parameters,
  })
  async function close() {
    open.delete(close)
    await sync.close()
    await limits.close()
    chainClient.close()
    await node.close()
  }
  open.add(close)
  return {
    sync,
    node,
    chainClient,
    ids: () => [...(sync.current()?.pools.keys() ?? [])].sort(),
    calls: () => node.counters().calls['eth_call'] ?? 0,
    close,
  }
}

const whole = await openSync({ loadsFirst: 'all' })
await whole.sync.start()
const all = whole.ids()
const first = [...(whole.sync.current()?.pools.values() ?? [])].filter(isFirst)
const callsOfAll = whole.calls()
await whole.close()

s('is begun by the start alone, whoever asks before it [nodes/start-alone]', async () => {
  const { sync, close } = await openSync({ loadsFirst: 'majors' })
  const [asked] = await Promise.all([sync.fresh(), sync.start()])
  assert.is(asked, undefined)
  assert.ok([...(sync.current()?.pools.values() ?? [])].every(isFirst))
  await close()
})

s('begins with the pools of the majors, by a few calls [nodes/majors-first]', async () => {
  assert.ok(all.length > 80, `${all.length} pools`)
  const left: number[] = []
  const told: SyncEvent[] = []
  const unsearched = () => opened.sync.coverage()?.filter(({ isSearched }) => !isSearched).length
  const opened: Awaited<ReturnType<typeof openSync>> = await openSync({
    loadsFirst: 'majors',
    stirred: () => left.push(opened.sync.loadLeftMs() ?? 0),
    observe: (event) => told.push(event),
  })
  await opened.sync.start()
  const calls = opened.calls()
  assert.is(opened.node.counters().calls['eth_getLogs'], undefined)
  assert.ok(calls <= mostFirstCalls, `${calls} calls`)
  assert.equal(opened.ids(), first.map(({ id }) => id).sort())
  assert.ok(first.length < all.length / 2, `${first.length} pools`)
  assert.ok(first.some(({ tokens }) => tokens.some((token) => majors.has(token))))
  assert.ok(calls < callsOfAll / 2, `${calls} of ${callsOfAll} calls`)
  assert.is(opened.sync.loadLeftMs(), undefined)
  const exchangesLeft = dexes.length
  assert.equal(told.at(-1), { event: 'loading', chainId: 8453, exchangesLeft, poolsLeft: 0 })
  assert.is(unsearched(), exchangesLeft)
  await opened.sync.loading()
  assert.is(unsearched(), 0)
  assert.ok(Math.max(...left) > 0, left.join(' '))
  assert.is(opened.sync.loadLeftMs(), undefined)
  assert.equal(opened.ids(), all)
  assert.is(opened.sync.loading(), undefined)
  await opened.close()
})

s(
  'has what nobody waits for held behind a node of so many calls a second, or of small batches, and behind no other [nodes/load-first]',
  async () => {
    const whole = ['asked', 'asked', true]
    for (const [learned, held] of [
      [undefined, whole],
      [JSON.stringify({ callsPerSecond: 2_000 }), ['asked', 'over_budget', false]],
      [JSON.stringify({ batchCalls: 10 }), ['asked', 'over_budget', false]],
      [JSON.stringify({ batchCalls: 11 }), whole],
    ] as const) {
      const book = { read: async () => learned, write: async () => undefined }
      const { sync, chainClient, close } = await openSync({ loadsFirst: 'majors', book })
      const ask = async (purpose: 'simulation' | 'warmUp') => {
        const answers = await chainClient.askEach([{ method: 'eth_chainId', params: [] }], purpose)
        return answers === 'over_budget' ? answers : 'asked'
      }
      const askAll = () =>
        Promise.all([ask('simulation'), ask('warmUp'), chainClient.hasRoom('audit')])
      await sync.start()
      assert.equal(await askAll(), held)
      await sync.loading()
      assert.equal(await askAll(), whole)
      await close()
    }
  },
)

s('takes fewer calls behind a node of so many a second [nodes/load-few]', async () => {
  async function countCalls(learned: string | undefined): Promise<number> {
    const book = { read: async () => learned, write: async () => undefined }
    const { sync, calls, ids, close } = await openSync({ loadsFirst: 'majors', book })
    await sync.start()
    await sync.loading()
    assert.equal(ids(), all)
    await close()
    return calls()
  }
  const usual = await countCalls(undefined)
  const few = await countCalls(JSON.stringify({ callsPerSecond: 2_000 }))
  assert.ok(few < 0.8 * usual, `${few} of ${usual} calls`)
})

s('a load ends when its chain is followed no more [nodes/load-closed]', async () => {
  const whole = await openSync({ loadsFirst: 'majors' })
  await whole.sync.start()
  await whole.sync.loading()
  const closed = await openSync({ loadsFirst: 'majors' })
  await closed.sync.start()
  const loading = closed.sync.loading()
  await closed.sync.close()
  await loading
  assert.ok(closed.calls() < whole.calls() / 2, `${closed.calls()} of ${whole.calls()} calls`)
  await Promise.all([whole.close(), closed.close()])
})

s(
  'looks for the pairs of a list, whose pools their own factories name [nodes/listed]',
  async () => {
    const known = new Set(seedTokens(8453).map(({ address }) => address.toLowerCase()))
    const isHub = (token: string) => hubs.has(token.toLowerCase())
    const sidesOf = ({ token0, token1 }: BookedPool) => [token0, token1]
    const strange = mainnet.pools.filter(
      (pool) =>
        !pool.id &&
        sidesOf(pool).some(isHub) &&
        sidesOf(pool).some((t) => !known.has(t.toLowerCase())),
    )
    const listed = strange.filter(({ address }) => !all.includes(address.toLowerCase())).slice(0, 2)
    assert.is(listed.length, 2)
    const named = new Set(listed.flatMap(sidesOf).filter((token) => !isHub(token)))
    const due = strange.filter((pool) => sidesOf(pool).some((token) => named.has(token)))
    const codeless = '0x00000000000000000000000000000000000c0de1'
    const deepPools = [codeless, ...listed.map(({ address }) => address)] as const
    const opened = await openSync({ loadsFirst: 'majors', deepPools })
    await opened.sync.start()
    await opened.sync.loading()
    const ids = [...all, ...due.map(({ address }) => address.toLowerCase())]
    assert.equal(opened.ids(), [...new Set(ids)].sort())
    await opened.close()
  },
)

s('keeps what was loaded, and goes on where it ended [nodes/load-parts]', async () => {
  const snapshots = store.pools
  const failed = Promise.withResolvers<void>()
  const cut = await openSync({
    source: answerSome(callsOfAll * 0.7),
    loadsFirst: 'majors',
    snapshots,
    observe: ({ event }) => event === 'failed' && failed.resolve(),
  })
  await cut.sync.start()
  const begun = cut.ids()
  await failed.promise
  const kept = cut.ids()
  await cut.close()
  assert.ok(begun.length < kept.length && kept.length < all.length, `${kept.length} pools`)

  const next = await openSync({ loadsFirst: 'majors', snapshots })
  await next.sync.start()
  assert.equal(next.ids(), kept)
  await next.sync.loading()
  assert.equal(next.ids(), all)
  await next.close()
})

s('looks at no exchange again where the rest fails [nodes/load-looks]', async () => {
  async function countLooks({ fails }: { readonly fails: boolean }): Promise<number | undefined> {
    let [isOut, isDue] = [false, fails]
    const opened = await openSync({
      source: refuseWhile(() => isOut),
      loadsFirst: 'majors',
      observe(event) {
        if (event.event === 'loading' && event.exchangesLeft === 0) isOut = isDue
        if (event.event === 'failed') [isOut, isDue] = [false, false]
      },
    })
    await opened.sync.start()
    await opened.sync.loading()
    assert.equal(opened.ids(), all)
    await opened.close()
    return opened.node.counters().calls['eth_getLogs']
  }
  assert.is(await countLooks({ fails: true }), await countLooks({ fails: false }))
})

s('asks again for what a node refused [nodes/load-parts]', async () => {
  let isOut = true
  const opened: Awaited<ReturnType<typeof openSync>> = await openSync({
    source: refuseWhile(() => isOut && opened?.sync.current() !== undefined),
    loadsFirst: 'majors',
    observe({ event }) {
      if (event === 'failed') isOut = false
    },
  })
  await opened.sync.start()
  await opened.sync.loading()
  assert.equal(opened.ids(), all)
  await opened.close()
})
s.run()
