import type { Chain, Client, Transport } from 'viem'

/** The client with at most so many requests under way: what many dear ones take counts against one's time. */
export function limitRequests(
  client: Client<Transport, Chain>,
  most: number,
): Client<Transport, Chain> {
  const waiting: (() => void)[] = []
  let underWay = 0
  // viem picks the type of an answer by its question; here both only pass through.
  const ask = client.request as (...question: readonly unknown[]) => Promise<unknown>
  const request = async (...question: readonly unknown[]): Promise<unknown> => {
    // Whoever ends hands its place on: nobody comes between.
    if (underWay < most) underWay += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await ask(...question)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay -= 1
    }
  }
  return { ...client, request: request as typeof client.request }
}
