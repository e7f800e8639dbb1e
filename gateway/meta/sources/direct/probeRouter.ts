import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { isSameAddress } from '../../../chain/sameAddress.ts'
import { decodeResult, readBatch } from '../../provider/readBatch.ts'
import type { DirectDex } from './directSource.ts'

const abi = parseAbi([
  'function WETH() view returns (address)',
  'function WETH9() view returns (address)',
  'function WNativeToken() view returns (address)',
  'function weth() view returns (address)',
  'function getWNATIVE() view returns (address)',
  'function factoryV2() view returns (address)',
  'function poolManager() view returns (address)',
  'function wooPool() view returns (address)',
])
export type ProbeFunction = (typeof abi)[number]['name']

/**
 * Addresses that a contract answers to questions; undefined where it does not know the question. A
 * contract that only quotes, or wraps another currency, is told apart: a payload for it could only revert.
 */
export async function probeRouter(
  { router, reader }: Pick<DirectDex, 'router' | 'reader'>,
  {
    functions,
    signal,
  }: { readonly functions: readonly ProbeFunction[]; readonly signal: AbortSignal },
) {
  const calls = functions.map((functionName) => ({
    target: router,
    data: encodeFunctionData({ abi, functionName }),
  }))
  const results = await readBatch(reader, { calls, signal })
  return functions.map((functionName, index) =>
    decodeResult(results[index], (data) => decodeFunctionResult({ abi, functionName, data })),
  )
}

/** True for a router that wraps the chain's own native currency. */
export function wrapsNative(functionName: ProbeFunction) {
  return async (
    dex: Pick<DirectDex, 'router' | 'reader' | 'wrappedNative'>,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const [wrapped] = await probeRouter(dex, { functions: [functionName], signal })
    return wrapped !== undefined && isSameAddress(wrapped, dex.wrappedNative)
  }
}
