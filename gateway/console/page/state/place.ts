import { signal } from '@preact/signals'

/** Where the page stands: `#/quote?chain=8453&in=WETH`. Every state worth a link is in it. */
export type Place = { readonly page: string; readonly query: URLSearchParams }

function read(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  return { page: path === '' ? 'overview' : path, query: new URLSearchParams(query) }
}

export const place = signal(read())
addEventListener('hashchange', () => {
  place.value = read()
})

export const toHash = (page: string, query: Readonly<Record<string, string>> = {}) => {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''))
  return `#/${page}${search.size > 0 ? `?${search}` : ''}`
}

/** What of an address says how an answer is looked at, not what is asked. */
const looks: readonly string[] = ['trace', 'open', 'curve', 'copy', 'events']

/** What of the address is asked of the services: the same as long as it is the same. */
export const askedOf = (query: URLSearchParams) =>
  String(new URLSearchParams([...query].filter(([name]) => !looks.includes(name))))

/** Shows the same otherwise; going back leads to where one was before all of them. */
export function look(changed: Readonly<Record<string, string>>): void {
  const { page, query } = place.value
  history.replaceState(null, '', toHash(page, { ...Object.fromEntries(query), ...changed }))
  place.value = read()
}

export function go(page: string, query: Readonly<Record<string, string>> = {}): void {
  location.hash = toHash(page, query)
  // The browser tells of it later; what is looked at before then is looked at here.
  place.value = read()
}
