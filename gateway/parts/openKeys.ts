import type { Config } from '../config/config.ts'
import type { DigestKey } from '../signing/digestKey.ts'
import { openRelayerKey } from '../signing/openRelayerKey.ts'

/** The relayers' keys by chain, of those chains that have one. */
export const openKeys = ({ chains, mode }: Config): ReadonlyMap<number, DigestKey> =>
  new Map(
    chains.flatMap(({ chain: { chainId }, relayer: source }) =>
      source ? [[chainId, openRelayerKey({ mode, chainId, source })] as const] : [],
    ),
  )
