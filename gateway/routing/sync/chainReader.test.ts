import { type Address, createClient, custom, numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getDexes } from '../../chain/chains.ts'
import { toViemChain } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import { createSyncDeps } from '../testing/syncDeps.ts'
import { createAskedOnce } from './askedOnce.ts'
import { createAudit } from './audit.ts'
import { createPoolBounds } from './bounds/poolBounds.ts'
import { createChainReader } from './chainReader.ts'
import { createHeardBlocks } from './heardBlocks.ts'
import { createTokenBook } from './tokenBook.ts'
import { createTroubledPools } from './troubledPools.ts'

const s = suite('the reader of a chain')
const word = (n: number) => numberToHex(n, { size: 32 })
const block = { number: '0x1', hash: word(1), parentHash: word(0), timestamp: '0x1' }

/** A reader of a chain of one block; what else its node is asked is answered by `request`. */
function createReader(
  parts: Partial<Parameters<typeof createChainReader>[0]> = {},
  request: () => Promise<unknown> = async () => block,
) {
  const client = createClient({
    chain: toViemChain(base),
    transport: custom(
      {
        request: async ({ method }: { readonly method: string }) =>
          method === 'eth_getBlockByNumber' ? block : request(),
      },
      { retryCount: 0 },
    ),
  })
  return createChainReader(
    { ...createSyncDeps({ chain: base, client }), ...parts },
    { partnersOf: () => [], stirred: () => undefined },
  )
}

s('forgets tokens that no pool holds any more, whoever made room [bounds/tokens]', async () => {
  const clock = { ms: 0 }
  const now = () => clock.ms
  const [asked, shelved] = [numberToHex(0xa, { size: 20 }), numberToHex(0xb, { size: 20 })]
  const limits = { floorUsd: 100, mostPools: 100, mostTokens: 100 }
  const bounds = createPoolBounds({ assets: base, limits, dexes: () => [], now })
  const tokens = createTokenBook({ seedTokens: [], wrappedNative: base.wrappedNative })
  const reader = createReader({
    tokens,
    bounds: { ...bounds, isShelving: (token) => token === shelved },
    now,
  })
  await reader.load()
  await reader.review()
  bounds.ask([asked])
  const passing = Array.from({ length: 1_000 }, (_, n) => numberToHex(0x100 + n, { size: 20 }))
  const toInfo = (address: Address) => ({ address, symbol: '', decimals: 18 })
  tokens.add([asked, shelved, ...passing].map(toInfo))
  clock.ms += 60_000
  await reader.review()
  assert.equal([...tokens.all().keys()], [asked, shelved])
})

s('holds up no block while it looks for made-up tokens [strangers/made-up-tokens]', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let begun = 0
  const reader = createReader({}, async () => {
    begun += 1
    await promise
    throw new Error('the node knows nothing of it')
  })
  await reader.load()
  const looking = reader.discover({ tokens: [numberToHex(0xa, { size: 20 })], beside: [] })
  assert.is.not(looking, 'busy')
  let isOver = false
  const end = () => {
    isOver = true
  }
  const over = Promise.resolve(looking).then(end, end)
  await reader.confirm()
  assert.ok(begun > 0 && !isOver)
  resolve()
  await over
})

s(
  'reads no pool anew while there is no room for it, then by calls of its own [nodes/audit-held]',
  async () => {
    const dex = getDexes(base.chainId).find(({ protocol }) => protocol === 'uniswap_v2')
    const id = numberToHex(0xa, { size: 20 })
    const head = { id, address: id, dex: dex?.name ?? '', protocol: 'uniswap_v2' } as const
    const rest = { tokens: [], feePips: 3_000, changedBlock: 1n, isFresh: [], swapsSeen: 0 }
    const record = { ...head, ...rest, reserve0: 1n, reserve1: 1n }
    const audit = createAudit({ sortByDepth: (records) => records, now: () => 0 })
    const dexes: Dex[] = []
    const clock = { ms: 0 }
    let [hasRoom, picks, asked, others] = [false, 0, 0, 0]
    const request = async () => {
      asked += 1
      throw new Error('it says nothing of the pool')
    }
    const reader = createReader(
      {
        dexes,
        now: () => clock.ms,
        audit: {
          ...audit,
          pick() {
            picks += 1
            return [record]
          },
        },
        auditor: {
          client: createClient({
            chain: toViemChain(base),
            transport: custom({ request }, { retryCount: 0 }),
          }),
          hasRoom: async () => hasRoom,
        },
      },
      async () => {
        others += 1
        return '0x'
      },
    )
    await reader.load()
    if (dex) dexes.push(dex)
    others = 0
    await reader.audit()
    assert.equal([picks, asked], [0, 0])
    hasRoom = true
    await reader.audit()
    assert.is(picks, 1)
    assert.ok(asked > 0)
    assert.is(others, 0)
    // Where there never is room, one step an hour finds what a lost event has left.
    hasRoom = false
    for (const [minutes, picked] of [
      [59, 1],
      [1, 2],
      [59, 2],
      [1, 3],
    ] as const) {
      clock.ms += minutes * 60_000
      await reader.audit()
      assert.is(picks, picked)
    }
  },
)

s('reads no pool again that nobody asks for while it is held [nodes/load-shelf]', async () => {
  const now = () => 0
  let isHeld = true
  const looks: unknown[] = []
  function look(at: unknown): readonly [] {
    looks.push(at)
    return []
  }
  const bounds = createPoolBounds({ assets: base, dexes: () => [], now })
  const reader = createReader({
    isHeld: () => isHeld,
    bounds: { ...bounds, due: look },
    troubled: { ...createTroubledPools({ now }), due: look },
  })
  await reader.load()
  const lookAll = async () => {
    await reader.lookAtShelf()
    await reader.tryAgain()
    return looks.splice(0)
  }
  assert.equal(await lookAll(), ['asked'])
  isHeld = false
  assert.equal(await lookAll(), ['all', 32])
})

s(
  'picks nothing to look at once more while it has nothing to spend for it [nodes/look-held]',
  async () => {
    const now = () => 0
    let hasRoom = false
    const picked: string[] = []
    const noting = (what: string) => () => void picked.push(what)
    const transport = custom({ request: async () => block }, { retryCount: 0 })
    const client = createClient({ chain: toViemChain(base), transport })
    const reader = createReader({
      auditor: { client, hasRoom: async () => hasRoom },
      askedOnce: { ...createAskedOnce({ now }), pick: noting('asked once') },
      heardBlocks: { ...createHeardBlocks({ now }), pick: noting('heard') },
    })
    await reader.load()
    const lookAll = async () => {
      await reader.lookAgain()
      await reader.holdAgainst()
      return picked.splice(0)
    }
    assert.equal(await lookAll(), [])
    hasRoom = true
    assert.equal(await lookAll(), ['asked once', 'heard'])
  },
)

s('asks for no block twice where the head has moved on [strangers/few-trips]', async () => {
  let head = 1
  const asked: unknown[] = []
  const numbered = (n: number) => {
    const [number, timestamp] = [numberToHex(n), '0x1'] as const
    return { number, hash: word(n), parentHash: word(n - 1), timestamp }
  }
  const request = async ({ method, params }: { method: string; params: readonly unknown[] }) => {
    if (method === 'eth_getLogs') return []
    asked.push(params[0])
    return numbered(params[0] === 'latest' ? head : Number(params[0]))
  }
  const transport = custom({ request }, { retryCount: 0 })
  const reader = createReader({ client: createClient({ chain: toViemChain(base), transport }) })
  await reader.load()
  for (const [to, between] of [
    [2, []],
    [5, ['0x3', '0x4']],
  ] as const) {
    head = to
    asked.length = 0
    await reader.confirm()
    assert.is(reader.current()?.head.number, BigInt(to))
    assert.equal(asked, ['latest', ...between])
  }
})
s.run()
