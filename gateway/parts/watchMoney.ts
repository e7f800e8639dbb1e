import { createMoneyMetrics } from '../observe/moneyMetrics.ts'
import { createLoop } from '../runtime/loop.ts'
import type { Store } from '../store/ports.ts'
import type { Observed } from './observed.ts'

/** Shows what was credited, used and paid, at the start and every minute: every gateway tells the same. */
export async function watchMoney({
  store,
  log,
  metrics,
  everyMs = 60_000,
}: Observed & { readonly store: Pick<Store, 'receipts'>; readonly everyMs?: number }) {
  const { read } = createMoneyMetrics(metrics)
  const watching = createLoop({
    everyMs,
    run: async () => read(await store.receipts.readSums()),
    // The database is away, which others tell of; the next time comes.
    failed: (cause) => log.warn({ reason: (cause as Error).name }, 'the books were not summed up'),
  })
  await watching.runNow()
  watching.start()
  return { close: watching.stop }
}
