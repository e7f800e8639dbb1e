import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  isAddressEqual,
  parseAbi,
} from 'viem'
import { type BatchReader, decodeResult, readBatch } from '../readBatch.ts'

const probeAbi = parseAbi([
  'function WETH() view returns (address)',
  'function WETH9() view returns (address)',
  'function factoryV2() view returns (address)',
])

/** What stands at a router's address. The first SwapRouter and SwapRouter02 take different structs. */
export type RouterKind = 'v2' | 'swapRouter' | 'swapRouter02' | 'unknown'

export type ProbedDex = {
  readonly router: Address
  readonly reader: BatchReader
  readonly wrappedNative: Address
}

async function probe(dex: ProbedDex, signal: AbortSignal): Promise<RouterKind> {
  const names = ['WETH', 'WETH9', 'factoryV2'] as const
  const calls = names.map((functionName) => ({
    target: dex.router,
    data: encodeFunctionData({ abi: probeAbi, functionName }),
  }))
  const results = await readBatch(dex.reader, { calls, signal })
  const [weth, weth9, factoryV2] = names.map((functionName, index) =>
    decodeResult(results[index], (data) =>
      decodeFunctionResult({ abi: probeAbi, functionName, data }),
    ),
  )
  if (weth !== undefined && isAddressEqual(weth, dex.wrappedNative)) return 'v2'
  if (weth9 === undefined || !isAddressEqual(weth9, dex.wrappedNative)) return 'unknown'
  return factoryV2 === undefined ? 'swapRouter' : 'swapRouter02'
}

export type RouterProbe = (dex: ProbedDex, signal: AbortSignal) => Promise<RouterKind>

/**
 * Asks each router once what it is. A contract that only quotes, or wraps another currency, is
 * `unknown`: a payload for it could only revert.
 */
export function createRouterProbe(): RouterProbe {
  const kinds = new Map<string, Promise<RouterKind>>()
  return (dex, signal) => {
    const key = `${dex.reader.client.chain.id}:${dex.router}`
    const known = kinds.get(key)
    if (known) return known
    const asked = probe(dex, signal)
    kinds.set(key, asked)
    // A failed probe is asked again next time; the caller of this one sees the error itself.
    asked.catch(() => kinds.delete(key))
    return asked
  }
}
