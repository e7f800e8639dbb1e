import { createTellCaps } from '../../signing/tellCaps.ts'
import type { AccessDeps, Settlement, SettlementSigner } from '../sale/accessConfig.ts'

const tellers = new WeakMap<SettlementSigner, () => Promise<void>>()

/** Before any settlement is judged: the hour is counted over all gateways of the database. */
export function tellSettlementCaps(
  { store, now, log }: Pick<AccessDeps, 'store' | 'now' | 'log'>,
  { signer, limits }: Settlement,
): Promise<void> {
  const { chainId } = signer
  const tell =
    tellers.get(signer) ??
    createTellCaps(
      {
        store: store.settlements,
        now,
        differs: ({ maxPerHour, maxSpendPerHourWei }) =>
          log.warn(
            {
              kind: 'limits_differ',
              chainId,
              maxPerHour,
              maxSpendPerHourWei: `${maxSpendPerHourWei}`,
            },
            'another gateway settles under lower caps: they hold',
          ),
      },
      { chainId, caps: limits },
    )
  tellers.set(signer, tell)
  return tell()
}
