import { assert, suite } from '../../fixtures/test.ts'
import { arbitrumDexSources } from './arbitrumDexSources.ts'
import { baseDexSources } from './baseDexSources.ts'
import type { DexSources } from './chain.ts'
import { chains } from './chains.ts'
import { factoriesOf } from './dex.ts'

const s = suite('sources of DEX addresses')
/** Of no use to who runs a gateway: not part of a chain's row, nor of the package. */
const sources: Readonly<Record<string, DexSources>> = {
  base: baseDexSources,
  arbitrum: arbitrumDexSources,
}
for (const { name, dexes } of chains)
  s(`every DEX of ${name} names where its address comes from`, () => {
    const missing = dexes
      .filter(({ isOptional }) => !isOptional)
      .flatMap(factoriesOf)
      .filter((factory) => !sources[name]?.[factory.toLowerCase()]?.length)
    assert.equal(missing, [])
  })
s.run()
