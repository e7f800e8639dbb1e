import { signal } from '@preact/signals'

/** As an address names it. */
export type RecentOrder = Readonly<Record<'chain' | 'sell' | 'amount' | 'buy', string>>

const name = 'forkyard.recent'
const mostKept = 5

const isOrder = (one: unknown): one is RecentOrder =>
  typeof one === 'object' &&
  one !== null &&
  ['chain', 'sell', 'amount', 'buy'].every((field) => typeof Reflect.get(one, field) === 'string')

/** What stands there may be of an older page, or of nobody who knows us. */
export function readRecent(text: string | null): readonly RecentOrder[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(kept) ? kept.filter(isOrder).slice(0, mostKept) : []
  } catch {
    return []
  }
}

/** The newest first, each once. */
export function addRecent(kept: readonly RecentOrder[], one: RecentOrder): readonly RecentOrder[] {
  const text = (order: RecentOrder) =>
    [order.chain, order.sell, order.amount, order.buy].join(' ').toLowerCase()
  return [one, ...kept.filter((other) => text(other) !== text(one))].slice(0, mostKept)
}

export const recent = signal<readonly RecentOrder[]>([])

/** Of this browser; it may forbid that anything is kept, and then they last as long as the page. */
export function openRecent(): void {
  try {
    recent.value = readRecent(localStorage.getItem(name))
  } catch {
    recent.value = []
  }
}

export function noteRecent(query: URLSearchParams): void {
  const [chain = '', sell = '', amount = '', buy = ''] = ['chain', 'in', 'amount', 'out'].map(
    (field) => query.get(field) ?? '',
  )
  recent.value = addRecent(recent.value, { chain, sell, amount, buy })
  try {
    localStorage.setItem(name, JSON.stringify(recent.value))
  } catch {
    // Forbidden, or full: the page has them still.
  }
}
