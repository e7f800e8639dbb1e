import type { StoredSettlement } from '../../store/settlements.ts'
import type { SettlementSigner } from '../sale/accessConfig.ts'

/** By what this process has seen itself: no clock that was wrong says how long a transaction waits. */
const sightings = new WeakMap<SettlementSigner, Map<string, number>>()

/** A settled one keeps the hash that has paid, whatever is signed for its nonce. */
const nameOf = ({ id, signedAtMs }: Pick<StoredSettlement, 'id' | 'signedAtMs'>) =>
  `${id} ${signedAtMs}`

/** How long ago these bytes were first seen unmined; 0 when just now. */
export function unminedForMs(
  signer: SettlementSigner,
  { settlement, nowMs }: { readonly settlement: StoredSettlement; readonly nowMs: number },
): number {
  const seen = sightings.get(signer) ?? new Map<string, number>()
  sightings.set(signer, seen)
  const name = nameOf(settlement)
  const firstMs = seen.get(name) ?? nowMs
  seen.set(name, firstMs)
  return nowMs - firstMs
}

/** Forgets all but what is still unmined. */
export function forgetMined(signer: SettlementSigner, unmined: readonly StoredSettlement[]): void {
  const kept = new Set(unmined.map(nameOf))
  const seen = sightings.get(signer)
  for (const name of seen?.keys() ?? []) if (!kept.has(name)) seen?.delete(name)
}
