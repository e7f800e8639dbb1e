import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'

/**
 * The least that a stream can be: says `initial`, asks every provider for the first so many clients, and
 * aborts that when its client leaves. No validation, no policies, nothing shared.
 */
export async function startRawStreams({
  providerUrls,
  concurrency,
}: {
  readonly providerUrls: readonly string[]
  readonly concurrency: number
}) {
  const agent = new Agent()
  let running = 0
  const server = createServer((req, res) => {
    const isAsked = running < concurrency
    if (isAsked) running++
    const left = new AbortController()
    res.once('close', () => {
      if (isAsked) running--
      left.abort()
    })
    const { signal } = left
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.write('event: initial\ndata: {}\n\n')
      if (!isAsked) return
      const { amountIn } = JSON.parse(Buffer.concat(chunks).toString()) as { amountIn: string }
      for (const url of providerUrls)
        request(`${url}?amount=${amountIn}`, { dispatcher: agent, signal }).catch(() => undefined)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await Promise.all([agent.destroy(), new Promise((resolve) => server.close(resolve))])
    },
  }
}
