import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import workers, { type MessagePort } from 'node:worker_threads'
import { pair } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { collectGarbage } from '../../bench/collectGarbage.ts'
import { findRoute } from '../engine/findRoute.ts'
import { createMarket, type Market, updateMarket } from '../engine/market.ts'
import { searchLimits } from '../searchRoute.ts'
import type { ThreadData, ThreadWord } from './searchThread.ts'
import { createSearchThreads } from './searchThreads.ts'

const s = suite('routing/threads/heldMarkets')
const before = createMarket([pair('one', 'a/d', [1_000, 1_000]), pair('two', 'a/d', [900, 900])])
const question = {
  tokenIn: 'a',
  tokenOut: 'd',
  amountIn: 10n ** 18n,
  gasPriceWei: 0n,
  nativeToken: 'a',
  ...searchLimits.deep,
}
const search = (market: Market) => findRoute(market, { ...question, now: () => 0 })

/** Says what it is told to. Its methods are its own: those of a mock's prototype are a thread's. */
class Puppet extends EventEmitter {
  static port: MessagePort | undefined
  ref = () => undefined
  unref = () => undefined
  terminate = async () => {
    Puppet.port?.close()
    this.emit('exit')
  }
  constructor(_: URL, { workerData }: { readonly workerData: ThreadData }) {
    super()
    Puppet.port = workerData.port
  }
}

s('keep the market of an answer until they tell what bounds it [attack/threads-held]', async () => {
  const puppets = mock.method(workers, 'Worker', Puppet)
  // Nothing else would keep this process.
  const awake = setInterval(() => undefined, 60_000)
  syncBuiltinESMExports()
  const alone = createSearchThreads({ count: 1 })
  const route = search(before)
  if (!route) throw new Error('a route is found')
  const unbound = { prices: new Map(), boundPrices: new Float64Array(), unprovenBps: 0 }
  const fallen = { ...unbound, route, hasMoved: false }
  const parameters = { ...question, fallen }
  const ask = (market: Market) =>
    alone.find({ name: 'chain', market, parameters, isCertified: true })
  const askWeakly = () => {
    const market = updateMarket(before, [])
    return { market: new WeakRef(market), asked: ask(market) }
  }
  const say = (word: ThreadWord) => Puppet.port?.postMessage(word)
  const isThere = async (market: WeakRef<Market>) => {
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    return market.deref() !== undefined
  }
  try {
    const { market, asked } = askWeakly()
    const later = ask(before)
    const found = { replay: 0, gapBps: 1, isHeld: false, nearPrices: undefined, isCertified: true }
    say({ kind: 'found', id: 1, found })
    const certificate = (await asked)?.certificate
    assert.ok(await isThere(market), 'curves of it are read')
    say({ kind: 'certified', id: 1, certificate: undefined })
    assert.is(await certificate, undefined)
    assert.not.ok(await isThere(market))
    await alone.close()
    assert.is(await later, undefined)
  } finally {
    clearInterval(awake)
    puppets.mock.restore()
    syncBuiltinESMExports()
  }
})

s.run()
