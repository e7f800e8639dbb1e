import type { Chain, Client, Transport } from 'viem'

/** The client, each of whose requests waits for this first. */
export function waitBefore(
  client: Client<Transport, Chain>,
  turn: () => Promise<void>,
): Client<Transport, Chain> {
  // viem picks the type of an answer by its question; here both only pass through.
  const ask = client.request as (...question: readonly unknown[]) => Promise<unknown>
  const request = async (...question: readonly unknown[]): Promise<unknown> => {
    await turn()
    return ask(...question)
  }
  return { ...client, request: request as typeof client.request }
}
