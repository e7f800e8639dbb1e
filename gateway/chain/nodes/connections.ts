import type { RpcCall } from './readReply.ts'
import { runsCode } from './takesLong.ts'

/** To one endpoint: each request that is under way has one. */
export type Connections = {
  /** How long none has been free for a request that begins with this call; undefined: one is. */
  fullForMs(call: RpcCall): number | undefined
  /** Has one until the request has ended. */
  hold<reply>(call: RpcCall | undefined, send: () => Promise<reply>): Promise<reply>
  /** Told whenever one is free again. */
  onFree(listener: () => void): void
}

const mostOfLine = 8
export const mostConnections = 2 * mostOfLine

export function createConnections({ now }: { readonly now: () => number }): Connections {
  const openLine = () => ({ underWay: 0, takenAtMs: 0 })
  // Code that strangers have the node run may hold all that it may have for as long as it takes.
  const lines = { ofCode: openLine(), ofOthers: openLine() }
  const lineOf = (call: RpcCall | undefined) =>
    call && runsCode(call) ? lines.ofCode : lines.ofOthers
  const listeners: (() => void)[] = []

  return {
    fullForMs(call) {
      const { underWay, takenAtMs } = lineOf(call)
      return underWay < mostOfLine ? undefined : now() - takenAtMs
    },
    async hold(call, send) {
      const line = lineOf(call)
      line.underWay += 1
      line.takenAtMs = now()
      try {
        return await send()
      } finally {
        line.underWay -= 1
        // Of several who wait each is the first to know in its turn.
        listeners.push(...listeners.splice(0, 1))
        for (const tell of listeners) tell()
      }
    },
    onFree: (listener) => void listeners.push(listener),
  }
}
