import type { Context } from 'koa'
import { httpError } from './httpError.ts'
import { isJsonType, type Pages } from './pages.ts'

/** What holds keys and what changes the lab. */
const closedPath = '/lab/'
/** What signs for a page: one that the lab trusts may read the keys themselves. */
export const signingPath = '/lab/wallet'

/** Koa middleware of a lab's services: what pages may do there beyond what CORS lets them. */
export function createPageDoor(pages: Pages) {
  return async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
    const origin = ctx.req.headers.origin
    if (ctx.path.startsWith(closedPath)) guardClosed(ctx, { pages, origin })
    if (origin === undefined) return void (await next())
    if (ctx.get('access-control-request-private-network') === 'true' && pages.trusts(origin))
      ctx.set('access-control-allow-private-network', 'true')
    // Browsers send any other kind of body without asking first.
    if (ctx.method === 'POST' && !isJsonType(ctx.req.headers['content-type']))
      throw httpError('unsupportedMediaType')
    await next()
  }
}

function guardClosed(
  ctx: Context,
  { pages, origin }: { readonly pages: Pages; readonly origin: string | undefined },
): void {
  ctx.remove('access-control-allow-origin')
  const { host } = ctx.req.headers
  if (!pages.isOwnHost(host))
    throw httpError('forbidden', 'the lab answers here by a name of this machine only')
  const isTrusted = origin !== undefined && pages.trusts(origin)
  const isSigning = ctx.path === signingPath && isTrusted
  if (ctx.method === 'POST' && !isSigning && !pages.isAdmin(ctx.req.headers.authorization))
    throw httpError('unauthorized', "the lab's token is needed: Authorization: Bearer …")
  if (origin === undefined) {
    // An image or a script of a foreign page: it could not read the answer.
    if (ctx.get('sec-fetch-site') === 'cross-site') throw foreign()
    return
  }
  const method =
    ctx.method === 'OPTIONS' ? ctx.get('access-control-request-method') || 'GET' : ctx.method
  const isRead = method === 'GET' || method === 'HEAD'
  const isOwn = origin === `http://${host}`
  if (!isOwn && !isSigning && !(isRead && isTrusted)) throw foreign()
  ctx.set('access-control-allow-origin', origin)
  ctx.vary('origin')
}

const foreign = () => httpError('forbidden', 'this is not for pages of other origins')
