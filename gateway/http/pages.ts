import { createHash, timingSafeEqual } from 'node:crypto'

/** Which web pages a lab trusts. Only a lab has one: what is served in production is for every page. */
export type Pages = {
  /** A page of this machine, or one that LAB_ORIGINS names. */
  readonly trusts: (origin: string) => boolean
  /** False for a name that a foreign page has bound to this machine (DNS rebinding). */
  readonly isOwnHost: (host: string | undefined) => boolean
  /** Whether `Authorization` holds the lab's token. */
  readonly isAdmin: (authorization: string | undefined) => boolean
}

export function createPages({
  origins,
  token,
}: {
  readonly origins: readonly string[]
  /** Undefined: nobody is. */
  readonly token?: string | undefined
}): Pages {
  const named = new Set(origins)
  const names = new Set(origins.map((origin) => readUrl(origin)?.hostname))
  return {
    trusts(origin) {
      const url = readUrl(origin)
      if (!url || !/^https?:$/.test(url.protocol)) return false
      return named.has(origin) || isLoopback(url.hostname)
    },
    isOwnHost(host) {
      const url = readUrl(`http://${host}`)
      return url !== undefined && (isLoopback(url.hostname) || names.has(url.hostname))
    },
    isAdmin: (authorization = '') =>
      token !== undefined && timingSafeEqual(digest(authorization), digest(`Bearer ${token}`)),
  }
}

/** Wallets ask from an extension, which its user has installed: no page can pretend to be one. */
export const isExtension = (origin: string) =>
  /^(?:chrome|moz|safari-web)-extension:\/\/[\w-]+$/.test(origin)

export const isJsonType = (contentType: string | undefined) =>
  /^application\/json\s*(?:;|$)/i.test(contentType ?? '')

/** `https://app.example`, as browsers send it. */
export const isOrigin = (text: string) => readUrl(text)?.origin === text

/** `LAB_ORIGINS`, comma-separated. */
export const readOrigins = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')

const digest = (text: string) => createHash('sha256').update(text).digest()
const readUrl = (text: string) => URL.parse(text) ?? undefined

/** The parser has made every spelling of an address one. */
const isLoopback = (hostname: string) =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(?:\.\d{1,3}){3}$/.test(hostname)
