import { numberToHex } from 'viem'
import { createMainnet } from '../../../../fixtures/nodes/mainnet/createMainnet.ts'
import type { Pace, PoolShares } from '../../../../fixtures/nodes/mainnet/shares.ts'
import { type Chain, getDexes } from '../../../chain/chains.ts'
import { createChainClient } from '../../../chain/client.ts'
import { nameByHash } from '../../../chain/nodes/blockHashes.ts'
import type { Reply, RpcAnswer, RpcCall } from '../../../chain/nodes/readReply.ts'
import type { PoolRef } from '../../reads/poolRef.ts'
import type { PartBounds } from '../../reads/rangeLogs.ts'
import { createChainReader } from '../../sync/chainReader.ts'
import { loadPools } from '../../sync/loadPools.ts'
import { createRefreshBook } from '../../sync/refreshBook.ts'
import type { SyncEvent } from '../../sync/syncEvent.ts'
import { createSyncDeps } from '../syncDeps.ts'

type Mainnet = ReturnType<typeof createMainnet>
type MadePool = Mainnet['pools'][number]

function toRef({ dex, address, id, token0, token1, feePips, tickSpacing }: MadePool) {
  const key = { currency0: token0, currency1: token1, fee: feePips, tickSpacing }
  const hooks = `0x${'0'.repeat(40)}` as const
  return { dex, address, ...(id && { id, key: { ...key, hooks } }) } satisfies PoolRef
}

/** Some pools of one exchange, told of by two nodes. */
export const twoNodes = {
  pools: 20,
  shares: [['uniswap_v2', 1]] satisfies PoolShares,
  blocksBefore: 2,
  nodes: 2,
} as const

/** A made-up chain and a reader that holds all of its pools, with no node and no time between them. */
export async function holdMainnet(
  chain: Chain,
  {
    pools,
    seed,
    pace,
    shares,
    refreshBlocks = 1n,
    partBounds,
    blocksBefore = 0,
    nodes = 1,
    bend = (_, answer) => answer,
    lag = () => 0,
    told = () => undefined,
  }: {
    readonly pools: number
    readonly seed?: number | undefined
    readonly pace?: Pace | undefined
    readonly shares?: PoolShares | undefined
    readonly refreshBlocks?: bigint | undefined
    readonly partBounds?: PartBounds | undefined
    readonly blocksBefore?: number | undefined
    readonly nodes?: number | undefined
    /** What a node, the first of them being 0, makes of the chain's answer. */
    readonly bend?: ((call: RpcCall, answer: RpcAnswer, node: number) => RpcAnswer) | undefined
    /** By how many blocks the head that is named is behind. */
    readonly lag?: (() => number) | undefined
    /** Of each request. */
    readonly told?: ((calls: readonly RpcCall[]) => void) | undefined
  },
) {
  const { chainId, blockTimeMs } = chain
  const mainnet = createMainnet({ chainId, pools, seed, pace, shares })
  mainnet.mine(blocksBefore)
  const toPast = (params: unknown) =>
    (params as readonly unknown[]).map((value) =>
      value === 'latest' ? numberToHex(mainnet.head().number - lag()) : value,
    )
  const send = async (calls: readonly RpcCall[], node: number): Promise<Reply> => {
    told(calls)
    const named = calls.map(nameByHash)
    const asked = named.map(({ method, params }) => ({ method, params: toPast(params) }))
    const answers = await mainnet.ask(asked)
    return {
      answers: answers.map((answer, index) => bend(named[index] as RpcCall, answer, node)),
      trouble: { kind: 'bad_answer' },
    }
  }
  let opened = 0
  const chainClient = createChainClient({
    chain,
    rpcUrls: Array.from({ length: nodes }, (_, node) => `http://127.0.0.1:${node + 1}`),
    alterSend() {
      const node = opened
      opened += 1
      return (calls) => send(calls, node)
    },
  })
  const { client } = chainClient
  const { number, hash, parentHash, timestampSecs } = mainnet.head()
  const head = { number: BigInt(number), hash, parentHash, timestampSecs: BigInt(timestampSecs) }
  const refs = mainnet.pools.map(toRef)
  const records = await loadPools({ client }, { pools: refs, blockNumber: head.number })
  const made = new Set(mainnet.pools.map(({ dex }) => dex.name))
  // What stands in offline worlds only is found missing on first contact with any other chain.
  const dexes = getDexes(chainId).filter(({ name, isOptional }) => !isOptional || made.has(name))
  const events: SyncEvent[] = []
  const deps = {
    ...createSyncDeps({ chain, client, dexes }),
    refreshes: createRefreshBook({ refreshMs: Number(refreshBlocks) * blockTimeMs, blockTimeMs }),
    partBounds,
    observe: (event: SyncEvent) => events.push(event),
  }
  const reader = createChainReader(deps, { partnersOf: () => [], stirred: () => undefined })
  if (!(await reader.restore({ head, records, tokens: [] }, { isInherited: false })))
    throw new Error('what was just read is taken')
  return { mainnet, chainClient, reader, deps, refs, events, [Symbol.dispose]: chainClient.close }
}
