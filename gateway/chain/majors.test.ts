import { assert, suite } from '../../fixtures/test.ts'
import { chains, seedTokens } from './chains.ts'

/** What most people ask for, as its issuers put it on the chain. */
const onBoth = ['WETH', 'USDC', 'USDT', 'DAI', 'USDS', 'cbBTC', 'wstETH', 'weETH', 'cbETH', 'rETH']
const own: Readonly<Record<string, readonly string[]>> = {
  base: ['USDbC', 'EURC', 'AERO'],
  arbitrum: ['USDC.e', 'WBTC', 'ARB'],
}

const s = suite('majors')
for (const { chainId, name, hubTokens, majorTokens = [] } of chains)
  s(`are tokens of ${name} that are known, each once [nodes/majors]`, () => {
    const symbols = new Map(seedTokens(chainId).map(({ address, symbol }) => [address, symbol]))
    const named = [...hubTokens, ...majorTokens].map((token) => symbols.get(token))
    assert.equal(named.toSorted(), [...onBoth, ...(own[name] ?? [])].toSorted())
  })
s.run()
