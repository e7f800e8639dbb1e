import { lock, type Program, sql } from './program.ts'

const highest = sql<{ nonce: number | null }>(
  `SELECT max(nonce) AS nonce FROM (
     SELECT nonce FROM relay_transactions WHERE chain_id = @chainId AND signer = @signer
     UNION ALL
     SELECT signer_nonce FROM settlements WHERE chain_id = @chainId AND lower(signer) = @signer
     UNION ALL
     SELECT nonce FROM nonce_fills WHERE chain_id = @chainId AND signer = @signer) taken`,
)

/**
 * The highest nonce this database has ever signed with a key on a chain, -1 for none. The relay's
 * deployments, x402 settlements and fills share the key, so whoever takes a nonce asks here, in the
 * transaction that takes it and under `lockChain`.
 */
export function* readHighestNonce({
  chainId,
  signer,
}: {
  readonly chainId: number
  readonly signer: string
}): Program<number> {
  return (yield* highest.get({ chainId, signer: signer.toLowerCase() }))?.nonce ?? -1
}

const highestOfDeployments = sql<{ nonce: number | null }>(
  `SELECT max(nonce) AS nonce FROM relay_transactions
   WHERE chain_id = @chainId AND signer = @signer AND status <> 'lost'`,
)

/** The highest nonce of a deployment that was signed with a key on a chain and not lost, -1 for none. */
export function* readHighestDeployment({
  chainId,
  signer,
}: {
  readonly chainId: number
  readonly signer: string
}): Program<number> {
  const row = yield* highestOfDeployments.get({ chainId, signer: signer.toLowerCase() })
  return row?.nonce ?? -1
}

/** One at a time takes nonces and spends money on a chain, over all processes. */
export const lockChain = (chainId: number): Program<void> => lock(`spend ${chainId}`)
