import { router, taker, usdc, weth } from '../../fixtures/meta/quotes.ts'
import { usdcToWeth } from '../../fixtures/providers/bodies.ts'
import { answerRecorded, startRecordingServer } from '../../fixtures/providers/recordingServer.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { createService } from '../http/service.ts'
import { createMeta, type MetaDeps } from './service/meta.ts'

/** The whole meta-aggregator as it is configured, over HTTP, with providers that answer as recorded. */
const s = suite('meta/configuredProviders')
const providers = await startRecordingServer()
const recorded = answerRecorded(usdcToWeth())
const chain = getChain(8453)
if (!chain) throw new Error('no chain')
// Nothing listens there: quotes of providers must not need our own node.
const chainClient = createChainClient({ chain, rpcUrls: ['http://127.0.0.1:9'], timeoutMs: 300 })
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const names = ['velora', 'nordstern', 'kyberswap', 'sushi', 'cow']
const deps: MetaDeps = {
  quote: async () => ({ status: 'no_route' }),
  clients: [chainClient],
  dexesOf: () => [],
  executorOf: () => undefined,
  dryRunOf: () => undefined,
  taxOf: () => undefined,
  poolsBetween: () => [],
  isToken: () => false,
  config: {
    providers: names.map((name) => ({
      name,
      baseUrl: `${providers.url}/${name}`,
      timeoutMs: 20_000,
    })),
    allowPrivateProviders: true,
    patienceMs: 20_000,
    deadlineMs: 30_000,
  },
  now: Date.now,
  log,
}
async function serve(config: MetaDeps['config'] = {}, now = deps.now) {
  const given = { ...deps, now, config: { ...deps.config, ...config } }
  const { endpoints, sourceStates, close } = createMeta(given)
  const requestIdField = 'requestId' as const
  const service = createService({ name: 'meta', endpoints, requestIdField, log, checkOutput: true })
  const listening = await service.listen()
  return {
    url: listening.url,
    sourceStates,
    close: async () => {
      await listening.close()
      await close()
    },
  }
}
const server = await serve()
const hasty = await serve({ patienceMs: 3_000 })
s.after(async () => {
  await server.close()
  await hasty.close()
  chainClient.close()
  await providers.close()
})
s.before.each(() => {
  providers.answerWith(recorded)
})

type Reply = {
  best: { provider: string; amountOut: string } | null
  quotes: { provider: string }[]
  failures: { provider: string; reason: string }[]
  responses: { provider: string; status: string; referenceAmountOut?: string }[]
  dispatched: number
  elapsedMs: number
}
async function quote(change: Record<string, unknown> = {}, { url } = server): Promise<Reply> {
  const res = await fetch(`${url}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      chainId: 8453,
      tokenIn: usdc,
      tokenOut: weth,
      amountIn: '500000000',
      taker,
      ...change,
    }),
  })
  return (await res.json()) as Reply
}

s('ranks their quotes, and shows an order book as a price only', async () => {
  const { best, quotes, responses, dispatched, failures } = await quote()
  assert.is(dispatched, 6)
  assert.equal(failures, [{ provider: 'routing', reason: 'no_route' }])
  // The first two quote the same; the one that answered first stands first.
  const order = quotes.map(({ provider }) => provider)
  assert.equal(order.slice(0, 2).sort(), ['kyberswap', 'sushi'])
  assert.equal(order.slice(2), ['velora', 'nordstern'])
  assert.is(best?.amountOut, '255000000000000000')
  const cow = responses.find(({ provider }) => provider === 'cow')
  assert.is(cow?.referenceAmountOut, '254000000000000000')
})

s('does not wait for a hung provider longer than its patience, and drops its socket', async () => {
  providers.answerWith((call) =>
    call.provider === 'sushi' ? { delayMs: 'never' } : recorded(call),
  )
  const { best, failures, elapsedMs } = await quote({ slippageBps: 51 }, hasty)
  assert.is(best?.provider, 'kyberswap')
  assert.match(
    failures.find(({ provider }) => provider === 'sushi')?.reason ?? '',
    /^timeout: slower than the 3000 ms/,
  )
  assert.ok(elapsedMs < 20_000, `${elapsedMs}`)
  const deadline = Date.now() + 5_000
  while (providers.open() > 0) {
    if (Date.now() > deadline) throw new Error('a socket stayed open')
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  // Asked again by the same caller, it is left behind the answer.
  const again = await quote({ slippageBps: 51 }, hasty)
  assert.is(again.best?.provider, 'kyberswap')
  assert.match(
    again.failures.find(({ provider }) => provider === 'sushi')?.reason ?? '',
    /^timeout: slower than the \d+ ms that it is waited for/,
  )
})

s('never lets a lure win unsimulated', async () => {
  const body = usdcToWeth()['nordstern']?.['/aggregator/8453'] as object
  providers.answerWith((call) =>
    call.provider === 'nordstern'
      ? { body: { ...body, toAmount: '2550000000000000000' } }
      : recorded(call),
  )
  const { best, quotes } = await quote({ slippageBps: 52 })
  assert.ok(best?.provider === 'kyberswap' || best?.provider === 'sushi', best?.provider)
  assert.is(quotes.at(-1)?.provider, 'nordstern')
})

s('makes one call for equal requests at once', async () => {
  providers.calls.length = 0
  providers.answerWith((call) => ({ ...recorded(call), delayMs: 2_500 }))
  await Promise.all(Array.from({ length: 10 }, () => quote({ slippageBps: 53 })))
  assert.is(providers.calls.filter(({ provider }) => provider === 'velora').length, 1)
})

s('leaves a provider alone that asked for a pause', async () => {
  providers.answerWith((call) =>
    call.provider === 'velora'
      ? { status: 429, headers: { 'retry-after': '30' }, body: '' }
      : recorded(call),
  )
  await quote({ slippageBps: 54 })
  providers.calls.length = 0
  const { failures } = await quote({ slippageBps: 55 })
  assert.match(
    failures.find(({ provider }) => provider === 'velora')?.reason ?? '',
    /^rate_limited: asked not to be called for \d+ ms$/,
  )
  assert.not(providers.calls.some(({ provider }) => provider === 'velora'))
  const sources = await fetch(`${server.url}/sources`)
  const { sources: rows } = (await sources.json()) as { sources: { name: string; state: string }[] }
  assert.is(rows.find(({ name }) => name === 'velora')?.state, 'paused')
})

s('holds a pause for no longer when the clock is set back [24/clock-set-back]', async () => {
  let setBackMs = 0
  const listening = await serve({}, () => Date.now() - setBackMs)
  providers.answerWith((call) =>
    call.provider === 'velora'
      ? { status: 429, headers: { 'retry-after': '30' }, body: '' }
      : recorded(call),
  )
  await quote({ slippageBps: 56 }, listening)
  setBackMs = 3_600_000
  const { retryAfterMs = 0 } = listening.sourceStates().find(({ name }) => name === 'velora') ?? {}
  assert.ok(retryAfterMs > 0 && retryAfterMs <= 30_000, String(retryAfterMs))
  await listening.close()
})

s(
  'never asks a source that is turned off, and knows the names it can turn off [meta/turned-off]',
  async () => {
    const config = { ...deps.config, sourcesOff: ['nobody'] }
    assert.throws(
      () => createMeta({ ...deps, config }),
      /there is no source nobody to turn off; known are routing/,
    )
    const listening = await serve({ sourcesOff: ['routing', 'cow'] })
    const { sources } = (await (await fetch(`${listening.url}/sources`)).json()) as {
      sources: { name: string }[]
    }
    assert.equal(
      sources.map(({ name }) => name),
      ['velora', 'nordstern', 'kyberswap', 'sushi'],
    )
    await listening.close()
  },
)

s(
  'asks a provider without a list of its contracts only where it is switched on by name [meta/by-name]',
  async () => {
    const setting = { name: 'relay', baseUrl: `${providers.url}/relay` }
    const config = { ...deps.config, providers: [setting] }
    const namesAsked = async (given: MetaDeps['config']) => {
      const listening = await serve(given)
      const { sources } = (await (await fetch(`${listening.url}/sources`)).json()) as {
        sources: { name: string; chainIds: number[]; note?: string }[]
      }
      providers.calls.length = 0
      const { best } = await quote({}, listening)
      await listening.close()
      const row = sources.find(({ name }) => name === 'relay')
      return { chainIds: row?.chainIds, note: row?.note, asked: providers.calls.length, best }
    }
    assert.equal(await namesAsked(config), {
      chainIds: [],
      asked: 0,
      note: 'no list of its contracts is known: META_UNLISTED_SOURCES turns it on',
      best: undefined,
    })
    const on = await namesAsked({ ...config, unlistedSources: ['relay'] })
    assert.equal(on, { chainIds: [8453], note: undefined, asked: 1, best: null })
    const contracts = { 8453: [router] }
    const listed = await namesAsked({ ...config, providers: [{ ...setting, contracts }] })
    assert.equal(listed.chainIds, [8453])
    assert.throws(
      () => createMeta({ ...deps, config: { ...config, unlistedSources: ['okx'] } }),
      /there is no source okx to turn on without a list; known are relay/,
    )
  },
)

s.run()
