import { isWide } from './logSpan.ts'
import type { RpcCall } from './readReply.ts'

/** They run code that a stranger may have written, an estimate many times over, or tell all that it has logged. */
const strangers: ReadonlySet<string> = new Set([
  'eth_simulateV1',
  'eth_estimateGas',
  'eth_getTransactionReceipt',
])

/**
 * How long it takes a stranger may have chosen. A batch is answered when its slowest call is, so it travels alone,
 * and a node that is late with it may be well.
 */
export const takesLong = (call: RpcCall) => isWide(call) || strangers.has(call.method)

/** What has a node run code; all else is read or taken at once. */
const running: ReadonlySet<string> = new Set(['eth_call', 'eth_simulateV1', 'eth_estimateGas'])

/** Whoever reads a word waits for no code that others have the node run. */
export const runsCode = ({ method }: RpcCall) => running.has(method)

/** How many there are strangers choose, and the loop stands still while they are read: they travel by themselves. */
export const asksLogs = ({ method }: RpcCall) => method === 'eth_getLogs'
