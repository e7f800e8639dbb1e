import { createClient, custom } from 'viem'
import type { ChainClient } from '../../chain/client.ts'

type Request = { readonly method: string; readonly params?: unknown }
const callsPerBatch = 64

/** The same client, and what was asked through it. */
export function recordRequests(chainClient: ChainClient) {
  const requests: Request[] = []
  const transport = custom(
    {
      request(call: Request): Promise<unknown> {
        requests.push(call)
        // The client's own types name every method; what passes through here is any of them.
        return chainClient.client.request(call as never)
      },
    },
    { retryCount: 0 },
  )
  const client = createClient({ chain: chainClient.client.chain, transport, cacheTime: 0 })
  return { chainClient: { ...chainClient, client }, requests }
}

/** The floor of a synchronisation: the same questions, all at once, their answers read by nobody; ms. */
export async function timeBareAnswers(
  rpcUrl: string,
  requests: readonly Request[],
): Promise<number> {
  const started = performance.now()
  const starts = Array.from(
    { length: Math.ceil(requests.length / callsPerBatch) },
    (_, k) => k * callsPerBatch,
  )
  await Promise.all(
    starts.map(async (start) => {
      const batch = requests.slice(start, start + callsPerBatch)
      const body = JSON.stringify(
        batch.map((call, id) => ({ jsonrpc: '2.0', id, params: [], ...call })),
      )
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(rpcUrl, { method: 'POST', headers, body })
      await answer.arrayBuffer()
    }),
  )
  return performance.now() - started
}
