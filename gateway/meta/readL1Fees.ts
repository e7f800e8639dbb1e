import { type Address, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { ChainClient } from '../chain/client.ts'
import { readL1Component } from '../chain/readL1Component.ts'
import { decodeResult, readBatch } from './provider/readBatch.ts'
import type { SourceQuote } from './provider/source.ts'

const opOracle: Address = '0x420000000000000000000000000000000000000F'
const opOracleAbi = parseAbi(['function getL1Fee(bytes data) view returns (uint256)'])
/** By provider; whole or not there, since one unknown fee would favour its quote. */
export type L1Fees = Readonly<Record<string, bigint>>

const complete = (fees: readonly (readonly [string, bigint | undefined])[]): L1Fees | undefined => {
  const known = fees.filter((fee): fee is readonly [string, bigint] => fee[1] !== undefined)
  return known.length === fees.length ? Object.fromEntries(known) : undefined
}

async function readOpStack(
  { client, chain }: ChainClient,
  quotes: readonly SourceQuote[],
  signal: AbortSignal,
): Promise<L1Fees | undefined> {
  const calls = quotes.map(({ calldata }) => ({
    target: opOracle,
    data: encodeFunctionData({ abi: opOracleAbi, functionName: 'getL1Fee', args: [calldata] }),
  }))
  const results = await readBatch({ client, multicall3: chain.multicall3 }, { calls, signal })
  const fees = quotes.map(({ provider }, index) => {
    const fee = decodeResult(results[index], (data) =>
      decodeFunctionResult({ abi: opOracleAbi, functionName: 'getL1Fee', data }),
    )
    return [provider, fee] as const
  })
  return complete(fees)
}

async function readArbitrum(
  { client }: ChainClient,
  quotes: readonly SourceQuote[],
  signal: AbortSignal,
): Promise<L1Fees | undefined> {
  const fees = quotes.map(async ({ provider, target: to, calldata: data }) => {
    const component = await readL1Component(client, { to, data, signal })
    return [provider, component && component.gas * component.baseFee] as const
  })
  return complete(await Promise.all(fees))
}

/**
 * The L1 data fee of each payload in wei, by provider: what `gas × price` leaves out. Undefined where the
 * chain does not say it for every one of them.
 */
export async function readL1Fees(
  chainClient: ChainClient,
  { quotes, signal }: { readonly quotes: readonly SourceQuote[]; readonly signal: AbortSignal },
): Promise<L1Fees | undefined> {
  const { l1Fee } = chainClient.chain
  if (l1Fee === 'opStack') return readOpStack(chainClient, quotes, signal)
  return l1Fee === 'arbitrum' ? readArbitrum(chainClient, quotes, signal) : {}
}
