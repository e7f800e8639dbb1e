import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

type Call = { readonly id: number; readonly method: string }

/**
 * A node in front of another that refuses some methods, and keeps the requests it gets by their methods.
 * `trips` counts those that could only be asked once another was answered.
 */
export async function startPickyNode(rpcUrl: string, { delayMs = 0 } = {}) {
  const refused = new Set<string>()
  const batches: string[][] = []
  let [started, ended] = [0, 0]
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const calls: Call | Call[] = JSON.parse(body)
    const list = Array.isArray(calls) ? calls : [calls]
    const trip = ended + 1
    started = Math.max(started, trip)
    batches.push(list.map(({ method }) => method))
    const bad = list.find(({ method }) => refused.has(method) || refused.has('*'))
    if (bad) {
      const error = { code: -32601, message: 'not here' }
      const answers = list.map(({ id }) => ({ jsonrpc: '2.0', id, error }))
      res.end(JSON.stringify(Array.isArray(calls) ? answers : answers[0]))
      return
    }
    const headers = { 'content-type': 'application/json' }
    if (delayMs > 0) await wait(delayMs)
    const answer = await fetch(rpcUrl, { method: 'POST', body, headers })
    const text = await answer.text()
    ended = Math.max(ended, trip)
    res.end(text)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, refused, batches, trips: () => started, close }
}
