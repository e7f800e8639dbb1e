import { zeroAddress } from 'viem'

/** What tells of an account's code. */
const codeReads: readonly unknown[] = [
  'eth_getCode',
  'eth_getAccount',
  'eth_getAccountInfo',
  'eth_getProof',
  'ots_hasCode',
]

/**
 * A request after which these contracts have no code, as tokens that a chain runs itself: whoever asks for
 * it is told of an account that has none. Calls run on, in blocks and in simulations.
 */
export function hideCode(body: Buffer, hidden: ReadonlySet<string>): Buffer {
  if (hidden.size === 0) return body
  try {
    const asked: unknown = JSON.parse(body.toString('utf8'))
    const calls = Array.isArray(asked) ? asked : [asked]
    const shown = calls.map((call) => hideOne(call, hidden))
    // Numbers of a body that is left alone stay as they were written.
    if (shown.every((call, index) => call === calls[index])) return body
    return Buffer.from(JSON.stringify(Array.isArray(asked) ? shown : shown[0]))
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
