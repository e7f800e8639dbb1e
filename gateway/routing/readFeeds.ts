import { type Address, parseAbi } from 'viem'
import { readContract } from 'viem/actions'
import type { TokenFeed } from '../chain/chains.ts'
import type { ChainClient } from '../chain/client.ts'

export type FeedAnswer = {
  /** Lower case. */
  readonly token: string
  readonly answer: bigint
  readonly decimals: number
  readonly updatedAtSecs: bigint
}

const feedAbi = parseAbi([
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function decimals() view returns (uint8)',
])
const mostDecimals = 36

/** What the aggregators say. One that is not there (a lab chain), silent or not above zero is left out. */
export async function readFeeds(
  { client }: Pick<ChainClient, 'client'>,
  { feeds }: { readonly feeds: readonly TokenFeed[] },
): Promise<readonly FeedAnswer[]> {
  const answers = await Promise.all(feeds.map(({ feed }) => readFeed(client, feed)))
  return answers.flatMap((answer, index) => {
    const token = feeds[index]?.token
    return answer && token ? [{ token: token.toLowerCase(), ...answer }] : []
  })
}

async function readFeed(client: ChainClient['client'], address: Address) {
  const read = <name extends 'latestRoundData' | 'decimals'>(functionName: name) =>
    readContract(client, { address, abi: feedAbi, functionName })
  const found = await Promise.all([read('latestRoundData'), read('decimals')]).catch(
    () => undefined,
  )
  if (!found) return undefined
  const [[, answer, , updatedAtSecs], decimals] = found
  if (answer <= 0n || updatedAtSecs === 0n || decimals > mostDecimals) return undefined
  return { answer, decimals, updatedAtSecs }
}
