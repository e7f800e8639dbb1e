import { createMainnet } from '../../../fixtures/nodes/mainnet/createMainnet.ts'
import { paces } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { chains, getDexes } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { nameByHash } from '../../chain/nodes/blockHashes.ts'
import { encodeCalls } from '../../chain/nodes/upstream.ts'
import type { PoolRef } from '../reads/poolRef.ts'
import { createAudit } from './audit.ts'
import { createPoolBounds } from './bounds/poolBounds.ts'
import { createChainReader } from './chainReader.ts'
import { createFoundPools } from './coverage.ts'
import { loadPools } from './loadPools.ts'
import { createLoadProgress } from './loadProgress.ts'
import { createTokenBook } from './tokenBook.ts'
import { createTroubledPools } from './troubledPools.ts'

/** What following a block without events sends up, with a thousand pools by the real shares. */
const s = suite('a block at rest')
const pools = 1_000
const noSwaps = { swaps: [0, 0], crowdedSwaps: 0, logs: [0, 0], crowdedLogs: 0 } as const
const most: Readonly<Record<number, { readonly bytes: number; readonly calls: number }>> = {
  8453: { bytes: 20_000, calls: 3 },
  42161: { bytes: 8_000, calls: 2 },
}

for (const chain of chains) {
  const { chainId, name } = chain
  const pace = paces[chainId]
  const bound = most[chainId]
  if (!pace || !bound) throw new Error(`nothing is promised of ${name}`)
  const quiet = { ...pace, ...noSwaps, creationShare: 0, positions: 0 }
  const mainnet = createMainnet({ chainId, pools, pace: quiet })
  const sent: { bytes: number; methods: string[] } = { bytes: 0, methods: [] }
  const chainClient = createChainClient({
    chain,
    rpcUrls: ['http://127.0.0.1:1'],
    alterSend: () => async (calls) => {
      sent.bytes += encodeCalls(calls).length
      sent.methods.push(...calls.map(({ method }) => method))
      const asked = calls
        .map(nameByHash)
        .map(({ method, params }) => ({ method, params: params as [] }))
      return { answers: await mainnet.ask(asked), trouble: { kind: 'bad_answer' } }
    },
  })
  s.after(() => chainClient.close())
  const { client } = chainClient
  const { number, hash, parentHash, timestampSecs } = mainnet.head()
  const head = { number: BigInt(number), hash, parentHash, timestampSecs: BigInt(timestampSecs) }
  const refs = mainnet.pools.map(toRef)
  const records = await loadPools({ client }, { pools: refs, blockNumber: head.number })

  async function openReader() {
    const now = () => 0
    const dexes = getDexes(chainId)
    const reader = createChainReader(
      {
        chainId,
        client,
        dexes,
        tokens: createTokenBook({ seedTokens: [], wrappedNative: chain.wrappedNative }),
        majors: [],
        taxOf: () => 0,
        origin: undefined,
        troubled: createTroubledPools({ now }),
        found: createFoundPools(),
        progress: createLoadProgress({ now }),
        bounds: createPoolBounds({ assets: chain, dexes: () => dexes, now }),
        audit: createAudit({ sortByDepth: (all) => all, now }),
        observe: () => undefined,
        now,
      },
      { partnersOf: () => [], stirred: () => undefined },
    )
    assert.ok(await reader.restore({ head, records, tokens: [] }, { isInherited: false }))
    return async () => {
      Object.assign(sent, { bytes: 0, methods: [] })
      await reader.confirm()
      const state = reader.current()
      assert.is(state?.head.hash, mainnet.head().hash)
      assert.is(state?.pools.size, pools)
      return sent
    }
  }

  s(
    `of ${name} goes up in ${bound.calls} calls and ${bound.bytes} bytes [nodes/idle-bytes]`,
    async () => {
      assert.is(records.length, pools)
      const follow = await openReader()
      for (let block = 0; block < 3; block += 1) {
        mainnet.mine()
        const { methods, bytes } = await follow()
        assert.ok(methods.length <= bound.calls, methods.join())
        assert.ok(bytes <= bound.bytes, `${bytes} bytes`)
      }
    },
  )
}

type MadePool = ReturnType<typeof createMainnet>['pools'][number]
function toRef({ dex, address, id, token0, token1, feePips, tickSpacing }: MadePool): PoolRef {
  const key = { currency0: token0, currency1: token1, fee: feePips, tickSpacing }
  const hooks = `0x${'0'.repeat(40)}` as const
  return { dex, address, ...(id && { id, key: { ...key, hooks } }) }
}
s.run()
