import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

const cookieName = 'forkyard_console'
const lifetimeSecs = 12 * 3_600

export type ConsoleSession = ReturnType<typeof createConsoleSession>

/**
 * Who may read `/ops/*` of a gateway that is no lab: whoever gives the operators' token, in the header or, as
 * pages do, by a cookie that was given for it. The cookie is signed with the token and holds nothing else, so
 * that every gateway with the token knows it, and none after another token was set.
 */
export function createConsoleSession({
  token,
  now = Date.now,
}: {
  readonly token: string
  readonly now?: () => number
}) {
  const sign = (until: number) =>
    createHmac('sha256', token).update(`console until ${until}`).digest('base64url')
  const isToken = (given: string) => isSame(given, token)
  const toCookie = (value: string, maxAge: number) =>
    `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`

  return {
    isToken,
    /** The `Set-Cookie` of who has given the token. */
    open() {
      const until = Math.floor(now() / 1_000) + lifetimeSecs
      return toCookie(`${until}.${sign(until)}`, lifetimeSecs)
    },
    close: () => toCookie('', 0),
    isOpen({
      authorization = '',
      cookie = '',
    }: {
      readonly authorization?: string | undefined
      readonly cookie?: string | undefined
    }) {
      if (isToken(authorization.replace(/^Bearer /, ''))) return true
      const [, until = '', signature = ''] =
        new RegExp(`(?:^|; )${cookieName}=(\\d{1,12})\\.([\\w-]+)`).exec(cookie) ?? []
      return isSame(signature, sign(Number(until))) && Number(until) * 1_000 > now()
    },
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other))
