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

export function go(page: string, query: Readonly<Record<string, string>> = {}): void {
  location.hash = toHash(page, query)
}
