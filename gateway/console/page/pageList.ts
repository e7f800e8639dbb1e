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
]
