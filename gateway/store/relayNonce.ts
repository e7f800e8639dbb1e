import type { Database } from 'better-sqlite3'

/**
 * The highest nonce this database has ever signed with a key on a chain, -1 for none. The relay's
 * deployments and x402 settlements share the key, so whoever takes a nonce asks here, in the
 * transaction that takes it.
 */
export function createReadHighestNonce(db: Database) {
  const statement = db.prepare<
    { chainId: number; signer: string },
    { nonce: number | null }
  >(`SELECT max(nonce) AS nonce FROM (
       SELECT nonce FROM relay_transactions WHERE chain_id = $chainId AND signer = $signer
       UNION ALL
       SELECT signer_nonce FROM settlements WHERE chain_id = $chainId AND lower(signer) = $signer)`)
  return ({ chainId, signer }: { readonly chainId: number; readonly signer: string }): number =>
    statement.get({ chainId, signer: signer.toLowerCase() })?.nonce ?? -1
}
