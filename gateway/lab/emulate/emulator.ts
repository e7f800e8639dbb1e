import Router from '@koa/router'
import type { Context } from 'koa'
import { createRateLimit, type LocalLimit, type RateLimit } from '../../access/limits/rateLimit.ts'
import { HttpError } from '../../http/httpError.ts'
import { readJsonBody } from '../../http/readJsonBody.ts'
import type { Call, Fields } from './call.ts'
import { createCow } from './cow.ts'
import type { Answer, EmulatedApi, EmulatedProvider, EmulatedRoute } from './emulatedProvider.ts'
import { createFacilitator, type OnChain } from './facilitator.ts'
import { kyberSwap } from './kyberSwap.ts'
import { lifi } from './lifi.ts'
import { oneInch } from './oneInch.ts'
import { openOcean } from './openOcean.ts'
import { invalid, Refused } from './refusal.ts'
import { createTrades, type TradeDeps, type Trades } from './trades.ts'
import { uniswapApi } from './uniswapApi.ts'
import { velora } from './velora.ts'
import { zeroX } from './zeroX.ts'

/** Each is one file: its rows, and how it reads and writes. */
const providers: readonly EmulatedProvider[] = [
  zeroX,
  oneInch,
  kyberSwap,
  openOcean,
  velora,
  lifi,
  uniswapApi,
]

const maxBodyBytes = 1_048_576

export type Emulator = ReturnType<typeof createEmulator>

type Asked = {
  readonly ctx: Context
  /** Where the API begins. */
  readonly base: string
  readonly route: EmulatedRoute | undefined
}

/** Other people's APIs below `/emulate/<provider>`, and x402's facilitator, over this lab's chains. */
export function createEmulator({ onChain }: { readonly onChain: OnChain }) {
  let trades: Trades | undefined
  const limits = new Map<RateLimit, LocalLimit>()

  function admit(api: EmulatedApi, { ctx, base }: Asked): void {
    const { keyHeader = '', needsKey = false, rates, limitHeaders } = api
    const key = keyHeader === '' ? '' : ctx.get(keyHeader)
    if (needsKey && key === '') throw new Refused({ kind: 'unauthorized' })
    const rate = key === '' ? rates?.anonymous : rates?.keyed
    if (!rate) return
    const limit = limits.get(rate) ?? createRateLimit(rate)
    limits.set(rate, limit)
    const state = limit.take(`${base} ${key === '' ? ctx.state['facts'].ip : key}`, 1)
    if (limitHeaders) ctx.set(limitHeaders(state))
    if (!state.allowed)
      throw new Refused({ kind: 'rate_limited', retryAfterSecs: state.retryAfterSecs })
  }

  async function answer(api: EmulatedApi, asked: Asked): Promise<void> {
    const { ctx, base, route } = asked
    ctx.state['path'] = base + (route?.path ?? '/unmatched')
    try {
      admit(api, asked)
      if (!route) throw new Refused({ kind: 'not_found', path: ctx.path })
      if (!trades) throw new Refused({ kind: 'unavailable', reason: 'the lab is still starting' })
      send(ctx, await route.handle(trades, await readCall(ctx)))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      send(ctx, api.toError(error.refusal, ctx.state['facts'].requestId))
    }
  }

  const router = new Router()
  function mount(base: string, api: EmulatedApi): void {
    for (const route of api.routes)
      router[route.method](base + route.path, (ctx) => answer(api, { ctx, base, route }))
    router.all(`${base}/*rest`, (ctx) => answer(api, { ctx, base, route: undefined }))
  }
  for (const provider of [...providers, createCow({ onChain })])
    mount(`/emulate/${provider.name}`, provider)
  mount('/x402', createFacilitator(onChain))
  const routed = router.routes()

  return {
    serve(deps: TradeDeps) {
      trades = createTrades(deps)
    },
    /** Takes what is an emulated provider's; all else is the listener's own. */
    interrupt: async (ctx: Context, next: () => Promise<unknown>): Promise<unknown> =>
      // Preflights are answered alike for every path.
      ctx.method === 'OPTIONS'
        ? next()
        : routed(ctx as Parameters<typeof routed>[0], next as never),
  }
}

async function readCall(ctx: Context): Promise<Call> {
  const { headers } = ctx.req
  const params = ctx['params'] as Readonly<Record<string, string>>
  const body = ctx.method === 'POST' ? await readBody(ctx) : {}
  return { params, query: ctx.query, headers, body, requestId: ctx.state['facts'].requestId }
}

async function readBody(ctx: Context): Promise<Fields> {
  try {
    const { value } = await readJsonBody(ctx.req, { maxBytes: maxBodyBytes })
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  } catch (error) {
    if (error instanceof HttpError) throw invalid('body', error.message)
    throw error
  }
  throw invalid('body', 'is not an object')
}

function send(ctx: Context, { status = 200, body, headers = {} }: Answer): void {
  ctx.status = status
  ctx.set(headers)
  ctx.set('content-type', 'application/json; charset=utf-8')
  ctx.body = JSON.stringify(body)
}
