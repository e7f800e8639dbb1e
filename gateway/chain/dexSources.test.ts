import { assert, suite } from '../../fixtures/test.ts'
import { chains } from './chains.ts'

const s = suite('sources of DEX addresses')
for (const { name, dexes, dexSources } of chains)
  s(`every DEX of ${name} names where its address comes from`, () => {
    const missing = dexes
      .filter(({ isOptional }) => !isOptional)
      .filter(({ factory }) => !dexSources[factory.toLowerCase()]?.length)
      .map((dex) => dex.name)
    assert.equal(missing, [])
  })
s.run()
