import { type Address, erc20Abi, parseAbi } from 'viem'
import type { Holding } from '../../simulator/holdingsReader.ts'
import { readRecipients } from '../../simulator/readRecipients.ts'
import { encodeCall } from '../chain/encodeCall.ts'
import { isNative } from '../chain/native.ts'
import { permit2 } from './calldata/forbiddenTargets.ts'
import type { SourceQuote, SourceRequest } from './provider/source.ts'

const permit2Abi = parseAbi([
  'function allowance(address owner, address token, address spender) view returns (uint160, uint48, uint48)',
  'function nonceBitmap(address owner, uint256 word) view returns (uint256)',
])

/** Reads per dry run: each is a slot that a fork may have to fetch. */
const maxTokens = 12
const maxSpenders = 4

/**
 * What a payload must leave as it is, also where no log tells: the taker's balances of other tokens, and the
 * allowances that the parties of the payload could be given. Permit2 and the tokens that we know tell every
 * allowance by an event; so those of known tokens are read only for payloads that nobody vouches for, and
 * those of the traded tokens, in whose place anybody's code may stand, for all.
 */
export function watchHoldings(
  quote: SourceQuote,
  { request, tokens }: { readonly request: SourceRequest; readonly tokens: readonly Address[] },
): readonly Holding[] {
  const { recipient: owner, tokenIn, tokenOut } = request
  const traded = [tokenIn, tokenOut].filter((token) => !isNative(token))
  const lower = new Set(traded.map((token) => token.toLowerCase()))
  const others = tokens.filter((token) => !lower.has(token.toLowerCase()))
  const watched = [...traded, ...others].slice(0, maxTokens)
  const parties = quote.approveTarget ? [quote.target, quote.approveTarget] : [quote.target]
  const named = readRecipients(quote.calldata, { exclude: [owner, ...parties, ...tokens] })
  const spenders = [...new Set([...parties, ...named])].slice(0, maxSpenders)
  const suspected = quote.mustBeProved ? watched : traded
  const allowances = suspected.flatMap((token) =>
    spenders.flatMap((spender): readonly Holding[] => [
      {
        contract: token,
        data: encodeCall({
          abi: erc20Abi,
          functionName: 'allowance',
          args: [owner, spender],
        }),
        loss: 'rise',
        sentence: `approves somebody ${token} for the taker beside the trade`,
      },
      {
        contract: permit2,
        data: encodeCall({
          abi: permit2Abi,
          functionName: 'allowance',
          args: [owner, token, spender],
        }),
        loss: 'rise',
        sentence: `approves somebody ${token} by Permit2 for the taker beside the trade`,
      },
    ]),
  )
  const balances = watched
    .filter((token) => !lower.has(token.toLowerCase()))
    .map(
      (token): Holding => ({
        contract: token,
        data: encodeCall({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
        loss: 'fall',
        sentence: `takes ${token} of the taker beside the trade`,
      }),
    )
  const nonce: Holding = {
    contract: permit2,
    data: encodeCall({ abi: permit2Abi, functionName: 'nonceBitmap', args: [owner, 0n] }),
    loss: 'change',
    sentence: 'uses a nonce of Permit2 for the taker beside the trade',
  }
  return [...allowances, ...balances, nonce]
}
