import { RpcTransportError } from './rpcBatch.ts'

/** What came back, or `silent` where nothing did; what else goes wrong is thrown. */
export function orSilent<T>(asking: Promise<T>): Promise<T | 'silent'> {
  return asking.catch((error: unknown) => {
    if (error instanceof RpcTransportError) return 'silent' as const
    throw error
  })
}
