import type { Hex } from 'viem'
import { createMemoryKey, type DigestKey } from './digestKey.ts'
import { readKeystore } from './keystore.ts'

/** A V3 keystore and the file with its password; or, in labs, the key itself. */
export type RelayerKeySource =
  | { readonly keystorePath: string; readonly passwordPath: string }
  | { readonly privateKey: Hex }

/**
 * Opens the key of a chain that deploys and settles. Variables of the environment show in process lists,
 * crash reports and container inspections, hence a key from there is for labs.
 * @throws Error for a bare key in live mode
 * @throws KeystoreError
 */
export function openRelayerKey({
  mode,
  chainId,
  source,
}: {
  readonly mode: 'offline' | 'forked' | 'live'
  readonly chainId: number
  readonly source: RelayerKeySource
}): DigestKey {
  if ('keystorePath' in source) return createMemoryKey(readKeystore(source))
  if (mode === 'live')
    throw new Error(`chain ${chainId}: a relayer key from the environment is for labs only`)
  return createMemoryKey(source.privateKey)
}
