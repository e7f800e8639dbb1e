import type { Chain } from '../../chain/chains.ts'
import type { ChainClient } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import { createAskedOnce } from '../sync/askedOnce.ts'
import { createAudit } from '../sync/audit.ts'
import { createBackSearch } from '../sync/backSearch.ts'
import { createPoolBounds } from '../sync/bounds/poolBounds.ts'
import { sortByDepth } from '../sync/bounds/sortByDepth.ts'
import type { SyncDeps } from '../sync/chainView.ts'
import { createFoundPools } from '../sync/coverage.ts'
import { createCreationScan } from '../sync/creationScan.ts'
import { createHeardBlocks } from '../sync/heardBlocks.ts'
import { createLoadProgress } from '../sync/loadProgress.ts'
import { createRefreshBook } from '../sync/refreshBook.ts'
import { createTokenBook } from '../sync/tokenBook.ts'
import { createTroubledPools } from '../sync/troubledPools.ts'

/** What the reader of a chain begins with that knows no token yet and is bounded by nothing. */
export function createSyncDeps({
  chain,
  client,
  dexes = [],
  now = () => 0,
}: {
  readonly chain: Chain
  readonly client: ChainClient['client']
  readonly dexes?: readonly Dex[]
  readonly now?: () => number
}): SyncDeps {
  const tokens = createTokenBook({ seedTokens: [], wrappedNative: chain.wrappedNative })
  return {
    chainId: chain.chainId,
    client,
    dexes,
    tokens,
    hubs: [],
    majors: [],
    loadsFirst: 'all',
    deepPools: [],
    taxOf: () => 0,
    origin: undefined,
    troubled: createTroubledPools({ now }),
    found: createFoundPools(),
    progress: createLoadProgress({ now }),
    scan: createCreationScan({ dexes, tokens, now }),
    bounds: createPoolBounds({ assets: chain, dexes: () => dexes, now }),
    refreshes: createRefreshBook({ refreshMs: 0, blockTimeMs: chain.blockTimeMs }),
    audit: createAudit({ sortByDepth: (records) => sortByDepth(records, chain), now }),
    askedOnce: createAskedOnce({ now }),
    heardBlocks: createHeardBlocks({ now }),
    backSearch: createBackSearch(),
    auditor: { client, hasRoom: async () => true },
    isHeld: () => false,
    observe: () => undefined,
    now,
  }
}
