import { zeroAddress } from 'viem'

/** What tells of an account's code. */
const codeReads: readonly unknown[] = ['eth_getCode', 'eth_getAccountInfo']

/**
 * A request after which these contracts have no code, as tokens that a chain runs itself: whoever asks for
 * it is told of an account that has none. Calls run on, in blocks and in simulations.
 */
export function hideCode(body: Buffer, hidden: ReadonlySet<string>): Buffer {
  if (hidden.size === 0) return body
  try {
    const asked: unknown = JSON.parse(body.toString('utf8'))
    const calls = Array.isArray(asked) ? asked.map((call) => hideOne(call, hidden)) : undefined
    return Buffer.from(JSON.stringify(calls ?? hideOne(asked, hidden)))
  } catch {
    // anvil says what is wrong with it.
    return body
  }
}

function hideOne(call: unknown, hidden: ReadonlySet<string>): unknown {
  const { method, params } = Object(call) as {
    readonly method?: unknown
    readonly params?: unknown
  }
  if (!codeReads.includes(method) || !Array.isArray(params)) return call
  const [address, ...rest] = params as readonly unknown[]
  if (!hidden.has(String(address).toLowerCase())) return call
  return { ...Object(call), params: [zeroAddress, ...rest] }
}
