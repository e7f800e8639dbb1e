import { type Hex, hexToBytes } from 'viem'
import { createKeyServiceCall } from './askKeyService.ts'
import { createMemoryKey, createServiceKey, type DigestKey } from './digestKey.ts'
import { readKeystore } from './keystore.ts'

/** A V3 keystore and the file with its password; a key service; or, in labs, the key itself. */
export type RelayerKeySource =
  | { readonly keyUrl: string; readonly publicKey: Hex }
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
  timeoutMs = 2_000,
}: {
  readonly mode: 'offline' | 'forked' | 'live'
  readonly chainId: number
  readonly source: RelayerKeySource
  /** For one signature of a key service. */
  readonly timeoutMs?: number | undefined
}): DigestKey {
  if ('keyUrl' in source) return openServiceKey(source, timeoutMs)
  if ('keystorePath' in source) return createMemoryKey(readKeystore(source))
  if (mode === 'live')
    throw new Error(`chain ${chainId}: a relayer key from the environment is for labs only`)
  return createMemoryKey(source.privateKey)
}

function openServiceKey(
  { keyUrl, publicKey }: Extract<RelayerKeySource, { readonly keyUrl: string }>,
  timeoutMs: number,
): DigestKey {
  const sign = createKeyServiceCall({ keyUrl, timeoutMs })
  return createServiceKey({ publicKey: hexToBytes(publicKey), sign })
}
