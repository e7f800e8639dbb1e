import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import { type RpcCall, RpcTransportError } from '../rpc/rpcBatch.ts'
import { type AskUpstream, createUpstream } from '../upstream.ts'

export const chainId = 8453
export const calls: readonly RpcCall[] = [{ method: 'eth_getBalance', params: ['0x1', '0x2'] }]
export const faultOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    (error: unknown) => (error instanceof RpcTransportError ? error.fault : String(error)),
  )

/** Those that are imported by name, too. */
export function holdTimers() {
  mock.timers.enable({ apis: ['setTimeout'] })
  syncBuiltinESMExports()
}
export function freeTimers() {
  mock.restoreAll()
  mock.timers.reset()
  syncBuiltinESMExports()
}

/** Before a client of somebody else's, by a clock that is set here. */
export function openBefore(ask: AskUpstream) {
  let nowMs = 1_000
  mock.method(performance, 'now', () => nowMs)
  const upstream = createUpstream({ chainId, urls: [], ask })
  return {
    upstream,
    pass(ms: number) {
      nowMs += ms
    },
  }
}
