import { mock } from 'node:test'
import { getAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { createGeneratedStand } from '../bench/quote/generatedStand.ts'
import { generateTrades } from '../bench/routing/generateMarket.ts'
import { createHotQuestions, type HotQuestions } from './hotQuestions.ts'
import { planAhead } from './planRoute.ts'
import type { RoutingChain } from './routingChain.ts'
import { createSearchAhead } from './searchAhead.ts'
import { createAskers } from './searchQueue.ts'

const s = suite('routing/searchAhead')

function createStand() {
  const stand = createGeneratedStand({ pools: 60, tokens: 8, seed: 7 })
  const { trades } = generateTrades(stand.market, 3)
  const bodies = trades.map((trade) => ({
    chain_id: stand.chain.chainId,
    token_in: trade.in,
    token_out: trade.out,
    amount_in: trade.amount,
    slippage_bps: 50,
  }))
  const ahead = createSearchAhead({ now: () => performance.now() }, { chains: [stand.chain] })
  return { ...stand, bodies, ahead }
}

/** Resolves once so many were searched ahead. */
async function untilSearched(
  { chain }: ReturnType<typeof createStand>,
  count: number,
): Promise<void> {
  while (chain.routes.aheadTally().searched < count)
    await new Promise((resolve) => setImmediate(resolve))
  await chain.searches.whenIdle?.()
}

/** Hot questions without end, each of which takes `costMs` by a clock that is set here. */
function createPaced({ costMs, onSearch }: { costMs: number; onSearch?: () => Promise<void> }) {
  const generated = createGeneratedChain({ pools: 60, tokens: 8, seed: 7 })
  const [trade] = generateTrades(generated.market, 1).trades
  if (!trade) throw new Error('there is no trade')
  const [tokenIn, tokenOut] = [getAddress(trade.in), getAddress(trade.out)]
  const question = { tokenIn, tokenOut, amountIn: BigInt(trade.amount) }
  let [nowMs, searched, looks] = [0, 0, 0]
  let ended = Promise.withResolvers<void>()
  const hot: HotQuestions = {
    note: () => undefined,
    nextBlock: () => undefined,
    *take() {
      try {
        for (let n = 0; n < 1_000; n += 1) yield question
      } finally {
        ended.resolve()
      }
    },
  }
  async function search() {
    searched += 1
    nowMs += costMs
    await onSearch?.()
    return undefined
  }
  function current() {
    looks += 1
    return generated.chain.sync.current()
  }
  const chain: RoutingChain = {
    ...generated.chain,
    hot,
    sync: { ...generated.chain.sync, current },
    routes: { ...generated.chain.routes, ahead: search },
  }
  const ahead = createSearchAhead({ now: () => nowMs }, { chains: [chain] })
  return {
    ahead,
    advance: generated.advance,
    looks: () => looks,
    /** Of what is searched for one block. */
    untilEnded: () => ended.promise,
    /** How many are searched in another block, which comes so much later. */
    async searchBlock(laterMs = 0) {
      nowMs += laterMs
      generated.advance()
      const before = searched
      ended = Promise.withResolvers()
      ahead.look()
      await ended.promise
      return searched - before
    },
  }
}

s('searches for half of the time, and for 250 ms more at once [teeth/ahead]', async () => {
  const { ahead, searchBlock } = createPaced({ costMs: 2 })
  // Each gives a millisecond back while it runs.
  assert.is(await searchBlock(), 250)
  assert.is(await searchBlock(), 0)
  assert.is(await searchBlock(2), 1)
  assert.is(await searchBlock(100), 50)
  assert.is(await searchBlock(3_600_000), 250, 'no rest saves up more')
  ahead.close()
})

s('lets whoever has something to ask go first, before each search [teeth/ahead]', async () => {
  const order: string[] = []
  const { ahead, searchBlock } = createPaced({
    costMs: 100,
    onSearch: async () => {
      order.push('search')
      setImmediate(() => order.push('request'))
    },
  })
  await searchBlock()
  ahead.close()
  assert.equal(order.slice(0, 4), ['search', 'request', 'search', 'request'])
})

s('searches no more once it is closed [teeth/ahead]', async () => {
  const { ahead, searchBlock } = createPaced({
    costMs: 0,
    onSearch: async () => ahead.close(),
  })
  assert.is(await searchBlock(), 1)
})

s('searches one after the other, though blocks come meanwhile [teeth/ahead]', async () => {
  let [running, most] = [0, 0]
  const { ahead, advance, searchBlock } = createPaced({
    costMs: 100,
    async onSearch() {
      running += 1
      most = Math.max(most, running)
      if (most === 1) {
        advance()
        ahead.look()
      }
      // Another one would have begun by then.
      for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate)
      running -= 1
    },
  })
  await searchBlock()
  ahead.close()
  assert.is(most, 1)
})

s(
  'looks for a block by itself, forty times a second until it is closed [teeth/ahead]',
  async () => {
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      const { ahead, looks, untilEnded } = createPaced({ costMs: 300 })
      mock.timers.tick(24)
      assert.is(looks(), 0)
      mock.timers.tick(1)
      assert.ok(looks() > 0)
      await untilEnded()
      await new Promise(setImmediate)
      ahead.close()
      const before = looks()
      mock.timers.tick(25)
      assert.is(looks(), before)
    } finally {
      mock.timers.reset()
    }
  },
)

s('searches what is asked block after block before it is asked again [20/ahead]', async () => {
  const stand = createStand()
  const { ahead, advance, chain, bodies, get } = stand
  const [hot, once] = bodies
  try {
    ahead.look()
    await get('/quote', hot)
    advance()
    ahead.look()
    await get('/quote', hot)
    await get('/quote', once)
    assert.is(chain.routes.aheadTally().searched, 0)
    advance()
    ahead.look()
    await untilSearched(stand, 1)
    const answer = await get<{ amount_out: string }>('/quote', hot)
    const { secs, ...counts } = chain.routes.aheadTally()
    assert.equal(counts, { searched: 1, asked: 1 })
    assert.ok(secs > 0 && secs < 60, `${secs} s`)
    const fresh = createGeneratedStand({ pools: 60, tokens: 8, seed: 7 })
    fresh.advance()
    fresh.advance()
    const { amount_out } = await fresh.get<{ amount_out: string }>('/quote', hot)
    assert.is(answer.amount_out, amount_out, 'as it is answered without')
  } finally {
    ahead.close()
  }
})

s('searches nothing while somebody waits for a search, nor for a block that is past', async () => {
  const stand = createStand()
  const { ahead, advance, chain, bodies, get } = stand
  const gate = Promise.withResolvers<void>()
  try {
    for (let block = 0; block < 2; block += 1) {
      ahead.look()
      for (const body of bodies) await get('/quote', body)
      advance()
    }
    const running = chain.searches(() => gate.promise, { chainId: chain.chainId })
    ahead.look()
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    assert.is(chain.routes.aheadTally().searched, 0)
    advance()
    gate.resolve()
    await running
    await untilSearched(stand, bodies.length)
    const { market } = chain.sync.current() ?? {}
    for (const body of bodies) await get('/quote', body)
    assert.is(chain.sync.current()?.market, market)
    const { secs: _, ...counts } = chain.routes.aheadTally()
    assert.equal(counts, { searched: bodies.length, asked: bodies.length })
  } finally {
    ahead.close()
  }
})

s('counts the networks of one IPv6 site as one that asks [attack/hot-sites]', async () => {
  const sites: string[] = []
  const hot = { ...createHotQuestions({ now: () => 0 }), note: noteSite }
  function noteSite(_: unknown, site: string) {
    sites.push(site)
  }
  const stand = createGeneratedStand({
    pools: 60,
    tokens: 8,
    seed: 7,
    change: (chain) => ({ ...chain, hot }),
    trustedProxies: ['127.0.0.1'],
  })
  const { trades } = generateTrades(stand.market, 1)
  const [trade] = trades
  const body = JSON.stringify({
    chain_id: stand.chain.chainId,
    token_in: trade?.in,
    token_out: trade?.out,
    amount_in: trade?.amount,
  })
  const server = await stand.listen()
  try {
    for (const ip of ['2001:db8:7:1::1', '2001:db8:7:2::1', '203.0.113.9']) {
      const headers = { 'content-type': 'application/json', 'x-api-key': ip, 'x-forwarded-for': ip }
      const answer = await fetch(`${server.url}/quote`, { method: 'POST', headers, body })
      assert.is(answer.status, 200, await answer.text())
    }
  } finally {
    await server.close()
  }
  assert.equal(sites, ['2001:db8:7::/48', '2001:db8:7::/48', '203.0.113.9'])
})
s(
  'searches what pools with unknown code look best for without them, too [strangers/known-ahead]',
  async () => {
    const { chain, market } = createGeneratedChain({ pools: 60, tokens: 8, seed: 7 })
    const [trade] = generateTrades(market, 1).trades
    const state = chain.sync.current()
    if (!trade || !state) throw new Error('there is no trade')
    const question = {
      tokenIn: getAddress(trade.in),
      tokenOut: getAddress(trade.out),
      amountIn: BigInt(trade.amount),
    }
    const { trust, routes } = chain
    const searchedWith = async (doubtful: readonly string[]) => {
      const choices: (string | undefined)[] = []
      const ahead: typeof routes.ahead = (_, key, search) => {
        choices.push(key.split(':').at(-1))
        return search(createAskers(), () => undefined)
      }
      const doubting = { ...chain, trust: { ...trust, listDoubtful: () => doubtful } }
      await planAhead(
        { now: () => 0 },
        { chain: { ...doubting, routes: { ...routes, ahead } }, state, question },
      )
      return choices
    }
    const all = trust.nameChoice({ kind: 'all' })
    assert.equal(await searchedWith([]), [all])
    assert.equal(await searchedWith(['a stranger']), [all, trust.nameChoice({ kind: 'known' })])
  },
)

s.run()
