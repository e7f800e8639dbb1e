import { Gauge, type Registry } from 'prom-client'
import type { MoneySums } from '../store/receipts.ts'

/** Shows the sums of the books. */
export function createMoneyMetrics({ registry }: { readonly registry: Registry }) {
  const registers = [registry]
  const quota = new Gauge({
    name: 'forkyard_quota_units',
    help: 'Of all keys together: credited (granted and bought, less what was taken back) and used',
    labelNames: ['kind'] as const,
    registers,
  })
  const labelNames = ['chain', 'state'] as const
  const payments = new Gauge({
    name: 'forkyard_payments',
    help: 'Payments that were claimed or settled for quota, by what became of them',
    labelNames,
    registers,
  })
  const bought = new Gauge({
    name: 'forkyard_payments_units',
    help: 'Quota units of these payments',
    labelNames,
    registers,
  })
  const settlements = new Gauge({
    name: 'forkyard_settlements',
    help: 'Settlements of x402 payments that were signed, by what became of them',
    labelNames,
    registers,
  })
  return {
    read(sums: MoneySums) {
      for (const [kind, units] of Object.entries(sums.quota)) quota.set({ kind }, units)
      // A state that nothing is in any more is not there.
      for (const gauge of [payments, bought, settlements]) gauge.reset()
      for (const { chainId, state, count, units } of sums.payments) {
        payments.set({ chain: chainId, state }, count)
        bought.set({ chain: chainId, state }, units)
      }
      for (const { chainId, state, count } of sums.settlements)
        settlements.set({ chain: chainId, state }, count)
    },
  }
}
