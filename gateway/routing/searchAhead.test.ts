import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedStand } from '../bench/quote/generatedStand.ts'
import { generateTrades } from '../bench/routing/generateMarket.ts'
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
    assert.equal(chain.routes.aheadTally(), { searched: 1, asked: 1 })
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
    assert.equal(chain.routes.aheadTally(), { searched: bodies.length, asked: bodies.length })
  } finally {
    ahead.close()
  }
})

s.run()
