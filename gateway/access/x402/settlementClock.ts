import { type BookClock, createBookClock } from '../../signing/bookClock.ts'
import type { AccessDeps, SettlementSigner } from '../sale/accessConfig.ts'

const clocks = new WeakMap<SettlementSigner, BookClock>()

/** The time of the chain's book, by which settlements and deployments both count. */
export function settlementClock(
  { store, now, bookNow = now, log }: Pick<AccessDeps, 'store' | 'now' | 'bookNow' | 'log'>,
  signer: SettlementSigner,
): BookClock {
  const known = clocks.get(signer)
  if (known) return known
  const { chainId } = signer
  const clock = createBookClock({
    now: bookNow,
    readStored: () => store.clock.readClock(chainId),
    aheadBy: (aheadMs, who) => log.warn({ chainId, who, aheadMs }, 'a clock is ahead'),
  })
  clocks.set(signer, clock)
  return clock
}
