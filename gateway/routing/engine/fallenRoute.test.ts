import { ask, pair } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { near } from '../testing/near.ts'
import type { Certificate } from './certificate.ts'
import { type FallenRoute, splitFallen } from './fallenRoute.ts'
import { createMarket, type Market, updateMarket } from './market.ts'
import { frameBetween } from './searchFrame.ts'

const s = suite('fallen routes')
const million = 1_000_000
const market = createMarket([
  pair('one', 'a/d', [million, million]),
  pair('two', 'a/d', [million / 2, million / 2]),
])
const amountIn = 10n ** 23n

function find(): { readonly fallen: FallenRoute; readonly frame: Certificate['frame'] } {
  const found: Certificate[] = []
  ask(market, { amountIn, certified: (made) => found.push(made) })
  const [certificate] = found
  if (!certificate) throw new Error('it has a certificate')
  return { fallen: { ...certificate, hasMoved: false }, frame: certificate.frame }
}
const split = (of: Market) => {
  const { fallen, frame } = find()
  const framed = frameBetween(of, frame)
  return { framed, flow: splitFallen(of, framed, fallen) }
}

s('are split as the market would have them by now [20/fallen-split]', () => {
  const { flow: before } = split(market)
  near(Number(before?.inputs[1]), 2 * Number(before?.inputs[0]), 1e-6)
  const { flow } = split(updateMarket(market, [pair('two', 'a/d', [million, million])]))
  near(Number(flow?.inputs[0]), Number(flow?.inputs[1]), 1e-6)
  near(Number(flow?.inputs[0]) + Number(flow?.inputs[1]), Number(amountIn), 1e-9)
})

s('cannot be where a pool of theirs went, or is of other tokens [20/fallen-split]', () => {
  assert.is(split(updateMarket(market, [], ['two'])).flow, undefined)
  const other = pair('two', 'a/c', [million, million])
  assert.is(split(updateMarket(market, [other])).flow, undefined)
})

s.run()
