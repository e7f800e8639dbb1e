import type { ComponentType } from 'preact'

export type PageRow = {
  readonly name: string
  readonly title: string
  /** Pressed after `g`. */
  readonly key: string
  readonly load: () => Promise<ComponentType>
}

/** Every page: its address, its key, and its code, which is loaded when it is first opened. */
export const pageList: readonly PageRow[] = [
  {
    name: 'overview',
    title: 'Overview',
    key: 'o',
    load: async () => (await import('./pages/overview.tsx')).Overview,
  },
  {
    name: 'quote',
    title: 'Quote',
    key: 'q',
    load: async () => (await import('./pages/quote.tsx')).QuotePage,
  },
  {
    name: 'race',
    title: 'Race',
    key: 'r',
    load: async () => (await import('./pages/race.tsx')).RacePage,
  },
  {
    name: 'pools',
    title: 'Pools',
    key: 'p',
    load: async () => (await import('./pages/pools.tsx')).PoolsPage,
  },
  {
    name: 'compare',
    title: 'Compare',
    key: 'c',
    load: async () => (await import('./pages/compare.tsx')).ComparePage,
  },
  {
    name: 'relay',
    title: 'Relay',
    key: 'y',
    load: async () => (await import('./pages/relay.tsx')).RelayPage,
  },
  {
    name: 'money',
    title: 'Money',
    key: 'm',
    load: async () => (await import('./pages/money.tsx')).MoneyPage,
  },
  {
    name: 'lab',
    title: 'Lab',
    key: 'l',
    load: async () => (await import('./pages/lab.tsx')).LabPage,
  },
]
