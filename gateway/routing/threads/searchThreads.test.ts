import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import workers from 'node:worker_threads'
import { assert, suite } from '../../../fixtures/test.ts'
import { createGeneratedChain } from '../../bench/quote/generatedChain.ts'
import { createGeneratedStand } from '../../bench/quote/generatedStand.ts'
import { generateTrades } from '../../bench/routing/generateMarket.ts'
import type { Certificate } from '../engine/certificate.ts'
import type { Again } from '../engine/fallenRoute.ts'
import { findRoute } from '../engine/findRoute.ts'
import { type Market, updateMarket } from '../engine/market.ts'
import { each } from '../engine/pieces.ts'
import { replayShares } from '../replayShares.ts'
import { createSearchThreads, type FoundByThread, type ThreadQuestion } from './searchThreads.ts'

const s = suite('routing/threads/searchThreads')

const name = 'chain'
const {
  chain,
  market: generated,
  advance,
} = createGeneratedChain({
  pools: 120,
  tokens: 16,
  seed: 7,
  changedPerBlock: 12,
})
const questions = generateTrades(generated, 6).trades.map((trade) => ({
  tokenIn: trade.in,
  tokenOut: trade.out,
  amountIn: BigInt(trade.amount),
  maxHops: 3,
  maxSteps: 96,
  maxWork: 300_000,
  deadlineMs: 60_000,
  gasPriceWei: 10_000_000n,
  nativeToken: generated.base,
}))

function current(): Market {
  const state = chain.sync.current()
  if (!state) throw new Error('a generated chain has a state')
  return state.market
}

/** What the loop finds, and what bounds it. */
function findHere(market: Market, parameters: ThreadQuestion['parameters']) {
  const made: Certificate[] = []
  const again: Again[] = []
  const certified = (certificate: Certificate) => void made.push(certificate)
  const held = (one: Again) => void again.push(one)
  const route = findRoute(market, { ...parameters, now: () => 0, certified, held })
  const stands = again.find((each) => each.route === route)
  const [isHeld, nearPrices] = [stands !== undefined, stands?.nearPrices]
  return { route, certificate: made.find((each) => each.route === route), isHeld, nearPrices }
}

const [first] = questions
if (!first) throw new Error('there are questions')
const threads = createSearchThreads({ count: 2 })
s.after(() => threads.close())

s('answer what the loop does, block by block, as pools come and go [20/threads]', async () => {
  const gone = [...each(current().pools)].slice(0, 3)
  const changes = [
    (market: Market) => market,
    () => {
      advance()
      return current()
    },
    (market: Market) =>
      updateMarket(
        market,
        [],
        gone.map(({ id }) => id),
      ),
    (market: Market) => updateMarket(market, gone),
  ]
  let market = current()
  let certified = 0
  for (const change of changes) {
    market = change(market)
    const asked = market
    const asking = questions.slice(0, 2).map(async (parameters) => ({
      parameters,
      found: await threads.find({ name, market: asked, parameters, isCertified: true }),
    }))
    for (const { parameters, found } of await Promise.all(asking)) {
      assert.ok(found, 'a thread was free')
      const { route, certificate } = findHere(asked, parameters)
      assert.equal(found.route, route)
      assert.equal(await found.certificate, certificate)
      if (certificate) certified += 1
    }
  }
  assert.ok(certified > 0)
})

/** What a search of one market found, in another. */
function fallIn(market: Market, { route, certificate }: ReturnType<typeof findHere>) {
  const [first, last] = [route?.steps[0], route?.steps.at(-1)]
  if (!route || !first || !last || !certificate) return undefined
  const asked = { route, amountIn: route.amountIn, tokenIn: first.tokenIn, tokenOut: last.tokenOut }
  const again = replayShares(market, asked)?.route
  const { prices, boundPrices, unprovenBps } = certificate
  return again && { route: again, prices, boundPrices, unprovenBps, hasMoved: false }
}

s('go on from a route that fell as the loop does [20/threads-fallen]', async () => {
  const seen = new Set<string>()
  const before = current()
  advance()
  const market = current()
  for (const parameters of questions) {
    const fallen = fallIn(market, findHere(before, parameters))
    if (!fallen) continue
    // What was not proven to be near is no candidate to stand by new prices.
    for (const own of [
      {},
      { hasMoved: true },
      { unprovenBps: 0.2 },
      { unprovenBps: 0.2, hasMoved: true },
    ]) {
      const asked = { ...parameters, fallen: { ...fallen, ...own } }
      const found = await threads.find({ name, market, parameters: asked, isCertified: true })
      const here = findHere(market, asked)
      assert.equal(found?.route, here.route)
      assert.equal([found?.isHeld, await found?.certificate], [here.isHeld, here.certificate])
      assert.equal(found?.nearPrices, here.nearPrices)
      if (here.isHeld) assert.is(found?.route?.steps, fallen.route.steps)
      if (here.nearPrices) seen.add('near')
      else seen.add(here.isHeld ? 'held' : `resumed ${here.certificate?.isResumed}`)
    }
  }
  assert.equal([...seen].toSorted(), ['held', 'near', 'resumed false', 'resumed true'])
})

s('find out what bounds an answer once nobody waits for one [20/threads-afterwards]', async () => {
  const alone = createSearchThreads({ count: 1 })
  const market = current()
  const ask = async (parameters: ThreadQuestion['parameters']) => {
    const found = await alone.find({ name, market, parameters, isCertified: true })
    return await found?.certificate
  }
  const certificates = await Promise.all(questions.slice(0, 4).map(ask))
  const here = questions.slice(0, 4).map((parameters) => findHere(market, parameters).certificate)
  assert.equal(certificates, here)
  // Where searches come without end all the same.
  let isOver = false
  const search = async (): Promise<void> => {
    while (!isOver) await alone.find({ name, market, parameters: first, isCertified: true })
  }
  const busy = [search(), search()]
  assert.ok(await ask(first))
  isOver = true
  await Promise.all(busy)
  const found = await alone.find({ name, market, parameters: first, isCertified: true })
  await alone.close()
  assert.is(await found?.certificate, undefined, 'of a thread that has ended')
})

s(
  'answer from the market they are asked about, not from a later one [20/threads-block]',
  async () => {
    const before = current()
    const asking = questions.map(async (parameters) => {
      for (;;) {
        const found = await threads.find({ name, market: before, parameters, isCertified: false })
        if (found) return { found, parameters }
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    advance()
    assert.is.not(current(), before)
    for (const { found, parameters } of await Promise.all(asking))
      assert.equal(found.route, findHere(before, parameters).route)
  },
)

s('are what quotes are searched on, with the answers of the loop [20/threads-quotes]', async () => {
  const size = { pools: 60, tokens: 8, seed: 7 }
  let [found, listened] = [0, 0]
  const counted = {
    ...threads,
    listen() {
      listened += 1
      threads.listen()
    },
    find: async (question: ThreadQuestion) => {
      const answer = await threads.find(question)
      if (answer) found += 1
      return answer
    },
  }
  const served = createGeneratedStand({ ...size, threads: counted })
  const plain = createGeneratedStand(size)
  const bodies = generateTrades(served.market, 2).trades.map((trade) => ({
    chain_id: served.chain.chainId,
    token_in: trade.in,
    token_out: trade.out,
    amount_in: trade.amount,
    slippage_bps: 50,
  }))
  for (let block = 0; block < 2; block += 1) {
    for (const body of bodies) {
      type Answer = { readonly amount_out: string }
      const [one, other] = await Promise.all([
        served.get<Answer>('/quote', body),
        plain.get<Answer>('/quote', body),
      ])
      assert.is(one.amount_out, other.amount_out)
    }
    served.advance()
    plain.advance()
  }
  assert.ok(found >= bodies.length, `${found} by threads`)
  assert.is(listened, 2 * bodies.length, 'whoever asks has them heard')
})

s('are heard amid a turn of the loop, where it listens [20/threads-heard]', async () => {
  const alone = createSearchThreads({ count: 1 })
  const [parameters] = questions
  if (!parameters) throw new Error('there are questions')
  const ask = () => alone.find({ name, market: current(), parameters, isCertified: false })
  assert.ok(await ask(), 'it has begun')
  let found: FoundByThread | undefined
  void ask().then((answer) => {
    found = answer
  })
  // Microtasks alone: the loop has no turn.
  for (const untilMs = performance.now() + 10_000; !found && performance.now() < untilMs; ) {
    alone.listen()
    await undefined
  }
  assert.equal(found?.route, findHere(current(), parameters).route)
  await alone.close()
})

s('go on with another search while one waits for the loop [20/threads-beside]', async () => {
  const alone = createSearchThreads({ count: 1 })
  const replayed: number[] = []
  const asking = questions.slice(0, alone.atOnce).map(async (parameters, index) => {
    const noted = [...each(current().pools)].map((pool) => ({
      ...pool,
      swap(...offered: Parameters<typeof pool.swap>) {
        replayed.push(index)
        // The first has no answer before the second has asked.
        const untilMs = performance.now() + 10_000
        while (!replayed.includes(1) && performance.now() < untilMs) alone.listen()
        return pool.swap(...offered)
      },
    }))
    const market = updateMarket(current(), noted)
    const found = await alone.find({ name, market, parameters, isCertified: false })
    assert.equal(found?.route, findHere(current(), parameters).route)
  })
  const [parameters] = questions
  if (!parameters) throw new Error('there are questions')
  const more = alone.find({ name, market: current(), parameters, isCertified: false })
  assert.is(await more, undefined, 'it has enough to do')
  await Promise.all(asking)
  assert.equal(replayed.slice(0, 2), [0, 1])
  await alone.close()
})

s('give each its own time, whatever it waits for [attack/thread-time]', async () => {
  const alone = createSearchThreads({ count: 1 })
  const deadlineMs = 500
  let hasHeld = false
  const slow = [...each(current().pools)].map((pool) => ({
    ...pool,
    swap(...offered: Parameters<typeof pool.swap>) {
      // The loop has something else to do, once.
      for (
        const untilMs = performance.now() + deadlineMs;
        !hasHeld && performance.now() < untilMs;
      );
      hasHeld = true
      return pool.swap(...offered)
    },
  }))
  const market = updateMarket(current(), slow)
  const asking = questions.slice(0, alone.atOnce).map(async (question) => {
    const parameters = { ...question, deadlineMs }
    const found = await alone.find({ name, market, parameters, isCertified: false })
    return { parameters, route: found?.route }
  })
  for (const { parameters, route } of await Promise.all(asking))
    assert.equal(route, findHere(current(), parameters).route)
  await alone.close()
})

s('leave to the loop what a pool throws at, however often [20/threads-thrown]', async () => {
  const alone = createSearchThreads({ count: 1 })
  const [parameters] = questions
  if (!parameters) throw new Error('there are questions')
  const mistaken = (): never => {
    throw new Error('a mistake in its maths')
  }
  const pools = [...each(current().pools)].map((pool) => ({ ...pool, swap: mistaken }))
  const broken = updateMarket(current(), pools)
  const ask = (market: Market) => alone.find({ name, market, parameters, isCertified: false })
  for (let times = 0; times < 4; times += 1) assert.is(await ask(broken), undefined)
  assert.throws(() => findHere(broken, parameters), 'a mistake in its maths')
  const [, found] = await Promise.all([ask(broken), ask(current())])
  assert.equal(found?.route, findHere(current(), parameters).route)
  assert.is(alone.lost(name), 0, 'no thread ended')
  await alone.close()
})

s('cost the search that one makes as it ends, and begin anew [20/threads-lost]', async () => {
  const alone = createSearchThreads({ count: 1 })
  const [parameters] = questions
  if (!parameters) throw new Error('there are questions')
  const ask = () => alone.find({ name, market: current(), parameters, isCertified: false })
  assert.ok(await ask())
  const asked = ask()
  await alone.end(0)
  assert.is(await asked, undefined)
  assert.is(alone.lost(name), 1)
  assert.equal((await ask())?.route, findHere(current(), parameters).route)
  assert.is(alone.lost(name), 1)
  // Its answer is there, and not heard yet, when it is ended.
  const unknown = {
    ...parameters,
    tokenOut: parameters.tokenIn.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  }
  const answered = alone.find({ name, market: current(), parameters: unknown, isCertified: false })
  for (const untilMs = performance.now() + 100; performance.now() < untilMs; );
  await alone.end(0)
  assert.is(await answered, undefined)
  assert.is(alone.lost(name), 2)
  const last = ask()
  await alone.close()
  assert.is(await last, undefined, 'who asked is told')
  assert.is(await ask(), undefined, 'and nobody is asked any more')
  assert.is(alone.lost(name), 2, 'a shutdown is no loss')
})

s('leave to the loop what no thread can be begun for [attack/no-thread]', async () => {
  const alone = createSearchThreads({ count: 1 })
  const [parameters] = questions
  if (!parameters) throw new Error('there are questions')
  const ask = () => alone.find({ name, market: current(), parameters, isCertified: false })
  class NoThread {
    constructor() {
      throw new Error('ERR_WORKER_INIT_FAILED')
    }
  }
  const refuse = mock.method(workers, 'Worker', NoThread)
  syncBuiltinESMExports()
  try {
    assert.equal([await ask(), alone.lost(name)], [undefined, 1])
  } finally {
    refuse.mock.restore()
    syncBuiltinESMExports()
  }
  assert.equal((await ask())?.route, findHere(current(), parameters).route)
  await alone.close()
})

s.run()
