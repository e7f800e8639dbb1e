import { isAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { chains } from './chains.ts'

const s = suite('lists of deep pools')
for (const { name, deepPools = [] } of chains)
  s(`names addresses on ${name}, each once [nodes/deep-pools]`, () => {
    assert.ok(deepPools.length >= 25, `${deepPools.length} pools`)
    assert.ok(deepPools.every((pool) => isAddress(pool)))
    assert.is(new Set(deepPools).size, deepPools.length)
  })
s.run()
