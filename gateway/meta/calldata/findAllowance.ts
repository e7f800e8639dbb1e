import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  parseAbi,
  size,
  slice,
} from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import { type BatchResult, decodeResult, readBatch } from '../provider/readBatch.ts'
import { permit2 } from './forbiddenTargets.ts'

export type FoundAllowance =
  | { readonly status: 'none' }
  | { readonly status: 'held'; readonly token: Address }
  /** The chain did not say. */
  | { readonly status: 'unknown' }

export type FindAllowance = (p: {
  readonly chainId: number
  readonly owners: readonly Address[]
  readonly spender: Address
  /** Besides the tokens that are always looked at. */
  readonly tokens: readonly Address[]
  /** Whether what was granted through Permit2 counts as well. */
  readonly byPermit2: boolean
  readonly signal: AbortSignal
}) => Promise<FoundAllowance>

const permit2Abi = parseAbi([
  'function allowance(address owner, address token, address spender) view returns (uint160, uint48, uint48)',
])
const wordAt = (data: Hex, at: number) =>
  size(data) < 32 * (at + 1) ? 0n : hexToBigInt(slice(data, 32 * at, 32 * at + 32))

type Asked = {
  readonly token: Address
  readonly target: Address
  readonly data: Hex
  /** Whether an answer is an allowance that still holds. */
  readonly isHeld: (data: Hex) => boolean
}

/** Whether an address may already take any known token of these owners: one `eth_call`. */
export function createFindAllowance({
  clientOf,
  tokensOf,
  now = Date.now,
}: {
  readonly clientOf: (chainId: number) => ChainClient | undefined
  readonly tokensOf: (chainId: number) => readonly Address[]
  readonly now?: (() => number) | undefined
}): FindAllowance {
  const ofToken = (token: Address, args: readonly [Address, Address]): Asked => ({
    token,
    target: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args }),
    isHeld: (data) => wordAt(data, 0) > 0n,
  })
  const ofPermit2 = (token: Address, [owner, spender]: readonly [Address, Address]): Asked => ({
    token,
    target: permit2,
    data: encodeFunctionData({
      abi: permit2Abi,
      functionName: 'allowance',
      args: [owner, token, spender],
    }),
    isHeld: (data) => wordAt(data, 0) > 0n && Number(wordAt(data, 1)) >= now() / 1_000,
  })
  return async ({ chainId, owners, spender, tokens, byPermit2, signal }) => {
    const found = clientOf(chainId)
    if (!found) return { status: 'unknown' }
    const { client, chain } = found
    // Those that are traded may be anybody's, and burn the gas of what is asked behind them.
    const known = tokensOf(chainId)
    const asked = [...new Set([...known, ...tokens])].flatMap((token) =>
      [...new Set(owners)].flatMap((owner) => [
        ...(byPermit2 ? [ofPermit2(token, [owner, spender])] : []),
        ofToken(token, [owner, spender]),
      ]),
    )
    try {
      const calls = asked.map(({ target, data }) => ({ target, data }))
      const results = await readBatch({ client, multicall3: chain.multicall3 }, { calls, signal })
      return judge(asked, { results, known })
    } catch {
      return { status: 'unknown' }
    }
  }
}

function judge(
  asked: readonly Asked[],
  { results, known }: { results: readonly BatchResult[]; known: readonly Address[] },
): FoundAllowance {
  const held = asked.find(({ isHeld }, at) => decodeResult(results[at], isHeld) === true)
  if (held) return { status: 'held', token: held.token }
  // Tokens that we know answer, where they are.
  const isUnsaid = asked.some(({ token }, at) => !results[at]?.success && known.includes(token))
  return { status: isUnsaid ? 'unknown' : 'none' }
}
