import { setTimeout as wait } from 'node:timers/promises'
import { type Address, type Hex, parseAbi, slice } from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import { encodeCall } from '../../chain/encodeCall.ts'
import { isSameAddress } from '../../chain/sameAddress.ts'
import { decodeResult, readBatch } from '../provider/readBatch.ts'

/** Those whom 0x's own registry names now; undefined where the chain did not say. */
export type FindSettlers = (p: {
  readonly chainId: number
  /** Whom a quote would have called: the list may be older than one of them. */
  readonly called: Settlers
}) => Promise<Settlers | undefined>
type Settlers = readonly Address[]
type Known = { readonly settlers: Settlers; readonly atMs: number }

/** On all chains, as README.md of 0xProject/0x-settler says. */
const registry: Address = '0x00000000000004533Fe15556B1E086BB1A72cEae'
const registryAbi = parseAbi([
  'function ownerOf(uint256 feature) view returns (address)',
  'function prev(uint128 feature) view returns (address)',
])
/** Of those who are called by the taker. */
const takerSubmitted = 2n
/** They change every few weeks, and the one before goes on for a while. */
const freshMs = 60_000
/** For a name that is not on the list the registry is read anew, whoever comes up with however many. */
const newNameMs = 5_000
/** A node that hangs: nobody's answer hangs on it for so long. */
const longestMs = 10_000
/** Whom the registry has named is 0x's own: so long is waited for news, which come behind the answer else. */
const newsMs = 250

/** One `eth_call` a minute and chain, one in five seconds where names are new. `now` in milliseconds. */
export function createFindSettlers({
  clientOf,
  now = () => performance.now(),
}: {
  readonly clientOf: (chainId: number) => ChainClient | undefined
  readonly now?: (() => number) | undefined
}): FindSettlers {
  const known = new Map<number, Known>()
  const asking = new Map<number, Promise<Settlers | undefined>>()
  const askedAtMs = new Map<number, number>()
  const calls = (['ownerOf', 'prev'] as const).map((functionName) => ({
    target: registry,
    data: encodeCall({ abi: registryAbi, functionName, args: [takerSubmitted] }),
  }))

  async function read(chainId: number): Promise<Settlers | undefined> {
    const found = clientOf(chainId)
    if (!found) return undefined
    const reader = { client: found.client, multicall3: found.chain.multicall3 }
    const signal = AbortSignal.timeout(longestMs)
    const results = await readBatch(reader, { calls, signal }).catch(() => undefined)
    // One that is paused, or has no one before it, reverts.
    const said = results?.filter(({ success }) => success)
    const settlers = said?.map((result) => decodeResult(result, toAddress))
    // Where a node finds no code, each call succeeds and says nothing.
    if (!settlers?.every((settler) => settler !== undefined)) return undefined
    known.set(chainId, { settlers, atMs: now() })
    return settlers
  }
  function readOnce(chainId: number): Promise<Settlers | undefined> {
    const underWay = asking.get(chainId)
    if (underWay) return underWay
    askedAtMs.set(chainId, now())
    const asked = read(chainId).finally(() => asking.delete(chainId))
    asking.set(chainId, asked)
    return asked
  }
  function isWorthReading(chainId: number, { settlers, atMs }: Known, called: Settlers): boolean {
    const hasNewName = called.some((one) => !settlers.some((known) => isSameAddress(known, one)))
    if (!hasNewName) return now() - atMs >= freshMs
    return asking.has(chainId) || now() - (askedAtMs.get(chainId) ?? atMs) >= newNameMs
  }
  return async ({ chainId, called }) => {
    const last = known.get(chainId)
    if (!last) return readOnce(chainId)
    if (!isWorthReading(chainId, last, called)) return last.settlers
    const news = wait(newsMs, undefined)
    return (await Promise.race([readOnce(chainId), news])) ?? last.settlers
  }
}

const toAddress = (data: Hex): Address => slice(data, 12, 32)
