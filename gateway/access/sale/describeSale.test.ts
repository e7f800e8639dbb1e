import { startAccessStand } from '../../../fixtures/access/accessStand.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { fromAgent } from '../../routing/wire/agentRegistration.ts'
import { createTurns } from '../../signing/turns.ts'
import { accessEndpoints } from '../wire/routes.ts'
import type { QuotaContract } from './accessConfig.ts'
import { describeSale } from './describeSale.ts'

const s = suite('access/describeSale')
const stand = await startAccessStand({})
s.after(() => stand.close())

const address = '0x00000000000000000000000000000000000000A1' as const
const contract: QuotaContract = {
  chainId: 8453,
  address,
  confirmations: 2,
  finalizedFrom: 1n,
  token: { address, name: 'USD Coin', version: '2' },
}
const limits = { maxFeeWei: 1n, maxPerHour: 1, maxSpendPerHourWei: 1n }
const turns = createTurns()
const signer = {
  turns,
  address,
  chainId: 8453,
  token: address,
  sign: async () => ({ rawTx: '0x', txHash: '0x' }) as const,
}
const settling = { ...contract, settlement: { signer, limits } }

s('lets the agent document link to what is served, and to nothing else', () => {
  for (const contracts of [[], [contract], [contract, settling]]) {
    const config = { ...stand.deps.config, contracts }
    const paths = accessEndpoints({ ...stand.deps, config }).map(({ path }) => path)
    const identity = { serviceName: 'n', version: '1', publicUrl: 'https://lab.example' }
    const agent = fromAgent({ ...identity, ...describeSale(contracts), active: true })
    const linked = agent.services.map(({ endpoint }) => new URL(endpoint).pathname)
    const isLinked = linked.includes('/.well-known/x402')
    assert.is(isLinked, paths.includes('/.well-known/x402'))
    assert.is(isLinked, contracts.length > 0)
    assert.is(agent.description.includes('USDC'), isLinked)
    assert.is(agent.x402Support, paths.includes('/x402/settle'))
    assert.is(agent.x402Support, contracts.length === 2)
  }
})
s.run()
