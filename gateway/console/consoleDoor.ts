import { isIP } from 'node:net'
import type { Context } from 'koa'
import { httpError } from '../http/httpError.ts'
import type { ServiceOptions } from '../http/serviceOptions.ts'
import type { createConsoleFiles } from './consoleFiles.ts'
import type { ConsoleSession } from './consoleSession.ts'

const login = '/ops/login'
const yearSecs = 31_536_000

/**
 * In front of the operators' listener: serves the console, and guards it and `/ops/*`. By a name that a
 * foreign page has bound to this machine neither is served (DNS rebinding), no other origin reads or frames
 * them, and outside a lab `/ops/*` is for who has the operators' token, and all else for no foreign page.
 */
export function createConsoleDoor({
  files,
  connectTo,
  session,
  isLab,
}: {
  readonly files: ReturnType<typeof createConsoleFiles>
  /** Origins that the page asks, beside its own. */
  readonly connectTo: () => Promise<readonly string[]>
  /** Undefined outside a lab: nobody may read `/ops/*`. */
  readonly session: ConsoleSession | undefined
  readonly isLab: boolean
}): NonNullable<ServiceOptions['interrupt']> {
  return async (ctx, next) => {
    const isOps = ctx.path.startsWith('/ops/')
    const file = ctx.method === 'GET' || ctx.method === 'HEAD' ? files.read(ctx.path) : undefined
    const isConsole = isOps || file !== undefined
    if (isConsole || !isLab) turnForeignPagesAway(ctx, { isFollowable: !isOps })
    if (isConsole) requireOwnName(ctx)
    if (file) return serve(ctx, { file, connectTo })
    if (isOps && !isLab && ctx.path !== login) requireOperator(ctx, session)
    return next()
  }
}

function requireOwnName({ req }: Context): void {
  const { hostname } = URL.parse(`http://${req.headers.host ?? ''}`) ?? { hostname: '' }
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  if (isName && hostname !== 'localhost' && !hostname.endsWith('.localhost'))
    throw httpError('forbidden', 'the console answers by localhost or by an address only')
}

/** Loopback is no wall to them: they ask from a browser on this machine. A link may be followed. */
function turnForeignPagesAway(
  ctx: Context,
  { isFollowable }: { readonly isFollowable: boolean },
): void {
  ctx.remove('access-control-allow-origin')
  ctx.set('cross-origin-resource-policy', 'same-origin')
  const { host, origin } = ctx.req.headers
  const isFollowed = isFollowable && ctx.get('sec-fetch-mode') === 'navigate'
  const isForeign =
    origin === undefined
      ? ctx.get('sec-fetch-site') === 'cross-site' && !isFollowed
      : URL.parse(origin)?.host !== host
  if (isForeign) throw httpError('forbidden', 'this is not for pages of other origins')
}

function requireOperator(ctx: Context, session: ConsoleSession | undefined): void {
  if (!session)
    throw httpError('forbidden', 'set OPS_TOKEN to read this: no token of an operator is set')
  const { authorization, cookie } = ctx.req.headers
  if (!session.isOpen({ authorization, cookie }))
    throw httpError('unauthorized', "the operators' token is needed: Authorization: Bearer …")
}

type File = NonNullable<ReturnType<ReturnType<typeof createConsoleFiles>['read']>>

async function serve(
  ctx: Context,
  {
    file,
    connectTo,
  }: { readonly file: File; readonly connectTo: () => Promise<readonly string[]> },
): Promise<void> {
  ctx.status = 200
  ctx.set('content-type', file.type)
  ctx.set('referrer-policy', 'no-referrer')
  const isNamedByContent = ctx.path !== '/'
  ctx.set('cache-control', isNamedByContent ? `max-age=${yearSecs}, immutable` : 'no-cache')
  // Of a worker's script too, which has the policy it was served with.
  ctx.set('content-security-policy', toPolicy(await connectTo()))
  ctx.set('cross-origin-opener-policy', 'same-origin')
  ctx.body = file.body
}

const toPolicy = (origins: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "worker-src 'self'",
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
