import { assert, suite } from '../../fixtures/test.ts'
import { chains } from './chains.ts'
import { factoriesOf } from './dex.ts'

const s = suite('sources of DEX addresses')
for (const { name, dexes, dexSources } of chains)
  s(`every DEX of ${name} names where its address comes from`, () => {
    const missing = dexes
      .filter(({ isOptional }) => !isOptional)
      .flatMap(factoriesOf)
      .filter((factory) => !dexSources[factory.toLowerCase()]?.length)
    assert.equal(missing, [])
  })
s.run()
