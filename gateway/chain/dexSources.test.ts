import { assert, suite } from '../../fixtures/test.ts'
import { getDexes } from './dexes.ts'
import { dexSources } from './dexSources.ts'

const s = suite('sources of DEX addresses')
for (const chainId of [8453, 42161])
  s(`every DEX of ${chainId} names where its address comes from`, () => {
    const missing = getDexes(chainId)
      .filter(({ isOptional }) => !isOptional)
      .filter(({ factory }) => !dexSources[chainId]?.[factory.toLowerCase()]?.length)
      .map(({ name }) => name)
    assert.equal(missing, [])
  })
s.run()
