import { pair, random } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createMarket, type Market } from './market.ts'
import { waysBetween } from './waysBetween.ts'

const s = suite('waysBetween')

/** Pairs of tokens, in either direction, on a way that visits no token twice. */
function walk(market: Market, tokenIn: number, tokenOut: number): ReadonlySet<string> {
  const found = new Set<string>()
  const go = (way: readonly number[]) => {
    const here = way.at(-1) as number
    if (here === tokenOut) {
      for (let k = 1; k < way.length; k++) found.add([way[k - 1], way[k]].sort().join())
      return
    }
    const last = market.outPairs[here + 1] as number
    for (let at = market.outPairs[here] as number; at < last; at++) {
      const next = market.pairTo[at] as number
      if (!way.includes(next)) go([...way, next])
    }
  }
  go([tokenIn])
  return found
}

/** Eleven tokens and few pools: trees, circles and parts apart. */
function sparseMarket(seed: number): Market {
  const next = random(seed)
  const tokens = 'abcdefghijk'
  const pick = () => tokens[Math.floor(next() * tokens.length)] ?? ''
  const pools = Array.from({ length: 8 + (seed % 7) }, (_, index) => {
    const [one, other] = [pick(), pick()]
    return one === other ? [] : [pair(`p${index}`, `${one}/${other}`, [1_000, 1_000])]
  })
  return createMarket(pools.flat())
}

s('are just those that some way without a token twice leads through [20/ways]', () => {
  let some = 0
  let none = 0
  for (let seed = 1; seed <= 60; seed++) {
    const market = sparseMarket(seed)
    const count = market.tokens.length
    for (let tokenIn = 0; tokenIn < count; tokenIn++)
      for (let tokenOut = 0; tokenOut < count; tokenOut++) {
        const walked = walk(market, tokenIn, tokenOut)
        if (tokenIn === tokenOut || walked.size === 0) continue
        for (const [index, isOn] of waysBetween(market, tokenIn, tokenOut).entries()) {
          const ends = [market.pairFrom[index], market.pairTo[index]].sort().join()
          assert.is(isOn === 1, walked.has(ends), `seed ${seed}: ${tokenIn} ${tokenOut} ${ends}`)
          if (isOn === 1) some++
          else none++
        }
      }
  }
  assert.ok(some > 1_000 && none > 1_000, `${some} on a way, ${none} on none`)
})

s.run()
