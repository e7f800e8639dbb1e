import { Gauge, type Registry } from 'prom-client'

/** Shows what this gateway bounds by itself, and which settings other gateways of its database have otherwise. */
export function createSettingMetrics({ registry }: { readonly registry: Registry }) {
  const registers = [registry]
  const own = new Gauge({
    name: 'forkyard_own_limit',
    help: 'What this gateway bounds by itself: several together let as many times more pass',
    labelNames: ['setting'] as const,
    registers,
  })
  const different = new Gauge({
    name: 'forkyard_settings_differ',
    help: 'Settings that another gateway of the same database has otherwise',
    labelNames: ['setting'] as const,
    registers,
  })
  return {
    limits(limits: readonly { readonly setting: string; readonly value: number }[]) {
      for (const { setting, value } of limits) own.set({ setting }, value)
    },
    compared(all: readonly string[], differing: readonly string[]) {
      for (const setting of all) different.set({ setting }, Number(differing.includes(setting)))
    },
  }
}
