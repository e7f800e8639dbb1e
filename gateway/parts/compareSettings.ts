import { randomUUID } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { findDifferences, listOwnLimits, listSharedSettings } from '../config/sharedSettings.ts'
import { createSettingMetrics } from '../observe/settingMetrics.ts'
import type { DigestKey } from '../signing/digestKey.ts'
import type { Store } from '../store/ports.ts'
import { fixedLimits } from './fixedLimits.ts'
import type { Observed } from './observed.ts'

/** Compares this gateway's settings with those of the others of its database, at its start and every half minute. */
export async function compareSettings(
  config: Config,
  {
    store,
    log,
    metrics,
    keys,
    everyMs = 30_000,
    now = Date.now,
  }: Observed & {
    readonly store: Pick<Store, 'gatewaySettings'>
    /** Of the relayers, by chain. */
    readonly keys?: ReadonlyMap<number, DigestKey>
    readonly everyMs?: number
    readonly now?: () => number
  },
) {
  const gateway = randomUUID()
  const shown = createSettingMetrics(metrics)
  shown.limits([...listOwnLimits(config), ...fixedLimits])
  const own = listSharedSettings(config, keys)
  const settings = JSON.stringify(own)
  let said = ''

  async function compare(): Promise<void> {
    const told = await store.gatewaySettings.tell({ gateway, settings, nowMs: now() })
    // What `listSharedSettings` of that gateway made.
    const others = told.map((text) => JSON.parse(text) as typeof own)
    const differing = [...new Set(others.flatMap((other) => findDifferences(own, other)))].sort()
    shown.compared(Object.keys(own), differing)
    const names = differing.join(', ')
    if (names !== said && names !== '')
      log.warn({ settings: names }, 'another gateway of this database has other settings')
    said = names
  }
  const attempt = () =>
    compare().catch((error: Error) =>
      // The database is away or full, which others tell of; the next time comes.
      log.warn({ reason: error.name }, 'settings were not compared'),
    )
  let running = attempt()
  await running
  const timer = setInterval(() => {
    running = attempt()
  }, everyMs)
  timer.unref()
  return {
    async close() {
      clearInterval(timer)
      await running
      await store.gatewaySettings
        .forget(gateway)
        .catch((error: Error) => log.warn({ reason: error.name }, 'settings were left behind'))
    },
  }
}
