import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedStand } from '../bench/quote/generatedStand.ts'
import { generateTrades } from '../bench/routing/generateMarket.ts'
import { createHotQuestions } from './hotQuestions.ts'
import { createSearchAhead } from './searchAhead.ts'

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
s.run()
