import { assert, suite } from '../../../fixtures/test.ts'
import type { RoutingChain } from '../routingChain.ts'
import { fromTokens } from './registry.ts'

const s = suite('routing/wire/registry')
const [shared, own] = [
  '0x4200000000000000000000000000000000000006',
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
] as const

function chainWith(chainId: number, tokens: readonly (readonly [string, string, number])[]) {
  const known = new Map(
    tokens.map(([address, symbol, decimals]) => [address, { address, symbol, decimals }]),
  )
  return { chainId, sync: { tokens: () => known } } as unknown as RoutingChain
}

s('names the second token of one address by its chain, too [routing/registry-key]', () => {
  const weth = [shared, 'WETH', 18] as const
  const listed = fromTokens([chainWith(8453, [weth, [own, 'USDC', 6]]), chainWith(10, [weth])])
  assert.equal(listed, {
    [shared]: { chain_id: 8453, symbol: 'WETH', decimals: 18 },
    [own]: { chain_id: 8453, symbol: 'USDC', decimals: 6 },
    [`10:${shared}`]: { chain_id: 10, symbol: 'WETH', decimals: 18 },
  })
})

s.run()
