import { assert, suite } from '../../fixtures/test.ts'
import { ensureWorld } from '../../fixtures/world.ts'
import { contractAddresses } from './publicContracts.ts'

const s = suite('public contracts')
const world = await ensureWorld()

s('are where the offline world has deployed them', () => {
  for (const [chainId, { manifest }] of Object.entries(world)) {
    const { executor, proxyFactory, proxyImplementation } = manifest
    const deployed = { executor, proxyFactory, proxyImplementation }
    assert.equal(contractAddresses[Number(chainId)], deployed)
  }
  assert.ok(Object.keys(world).length > 1)
})
s.run()
