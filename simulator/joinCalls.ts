import type { RpcCall, RpcOutcome } from './rpc/rpcBatch.ts'

type Send = (calls: readonly RpcCall[]) => Promise<readonly RpcOutcome[]>

/** Of one request. */
const mostCalls = 200

/** Sends what is asked in one turn of the event loop together: forks ask for one account after the other. */
export function joinCalls(send: Send): Send {
  type Asked = PromiseWithResolvers<readonly RpcOutcome[]> & { readonly calls: readonly RpcCall[] }
  let asked: Asked[] = []
  let count = 0

  async function sendAsked(): Promise<void> {
    const all = asked
    asked = []
    count = 0
    if (all.length === 0) return
    try {
      const outcomes = [...(await send(all.flatMap(({ calls }) => calls)))]
      for (const { calls, resolve } of all) resolve(outcomes.splice(0, calls.length))
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }

  return (calls) => {
    if (count + calls.length > mostCalls) void sendAsked()
    if (asked.length === 0) setImmediate(() => void sendAsked())
    const own = { calls, ...Promise.withResolvers<readonly RpcOutcome[]>() }
    asked.push(own)
    count += calls.length
    return own.promise
  }
}
