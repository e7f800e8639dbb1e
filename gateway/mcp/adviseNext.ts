import { type ErrorCode, ForkyardError } from '../client/index.ts'
import type { Target } from './connect.ts'
import { ToolError } from './toolError.ts'

const buy =
  'Call quota for the price and the contract that sells, pay it in USDC from a wallet, then call claim with the hash of the payment.'
const deploy = 'Have the owner deploy the proxy from the wallet (factory.deploy(owner)) instead.'
const again = 'Call again in a moment.'

/** By the code of what was answered; what stands in `details` says the rest. */
const advice = new Map<ErrorCode, string>([
  ['no_route', 'Try a smaller amount or another pair; tokens lists those that are known.'],
  [
    'no_quotes',
    'Try a smaller amount or another pair, or call quote, which needs no other source.',
  ],
  ['not_found', 'Check the chain and the arguments; tokens lists the chains by their tokens.'],
  ['quote_not_found', 'Explanations last ten minutes: call quote again and explain its quoteHash.'],
  ['payment_required', buy],
  [
    'unknown_transaction',
    'Check chain and hash, and call again once the transaction is in a block.',
  ],
  ['conflict', 'The payment needs more blocks: call again in a moment (in a lab, warp mines one).'],
  ['invalid_payment', 'Claim a successful USDC payment to the contract that quota names.'],
  ['unauthorized', 'Set FORKYARD_API_KEY to a key of this gateway and start the server again.'],
  ['simulation_reverted', deploy],
  ['simulation_unavailable', again],
  ['no_native_balance', deploy],
  ['insufficient_token_balance', 'Fund the owner with the token first (in a lab: deal).'],
  ['relay_not_funded', deploy],
  ['relay_paused', deploy],
  ['timeout', again],
])

/** One line for what happened and one for what to do. */
export function adviseNext(error: unknown, target: Target): string {
  const what = error instanceof Error ? error.message : String(error)
  if (error instanceof ToolError) return `${what}\nNext: ${error.next}`
  if (!(error instanceof ForkyardError)) throw error
  const { code, requestId, details = [] } = error
  const reasons = details.map(({ field, reason }) => `${field}: ${reason}`)
  const id = requestId === undefined ? '' : ` (${code}, request ${requestId})`
  return `${[`${what}${id}`, ...reasons].join('\n')}\nNext: ${nextOf(error, target)}`
}

function nextOf({ code, status, retryAfterSecs }: ForkyardError, target: Target): string {
  if (code === 'unreachable')
    return target.kind === 'lab'
      ? `No lab answers at ${target.opsUrl}: start one with \`npx forkyard lab-up\`, then call again.`
      : 'Check the URLs that the server was started with, and that the gateway runs.'
  const known = advice.get(code)
  if (known) return known
  if (retryAfterSecs !== undefined) return `Call again in ${retryAfterSecs} seconds.`
  return status >= 400 && status < 500 ? 'Mend the arguments and call again.' : again
}
