import { createRpcEndpoint } from '../rpc/rpcBatch.ts'

/** Until an anvil answers. @throws Error where it does not in time */
export async function waitUntilUp(url: string, { timeoutMs }: { readonly timeoutMs: number }) {
  const rpc = createRpcEndpoint({ url })
  const deadline = performance.now() + timeoutMs
  try {
    for (;;) {
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) throw new Error('not in time')
      const isUp = await rpc
        .batch([{ method: 'anvil_setLoggingEnabled', params: [false] }], {
          timeoutMs: Math.min(leftMs, 1_000),
        })
        .then(
          () => true,
          () => false,
        )
      if (isUp) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    await rpc.close()
  }
}
