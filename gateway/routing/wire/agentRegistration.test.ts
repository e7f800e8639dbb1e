import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape } from '../../http/validate.ts'
import { agentRegistration, fromAgent } from './agentRegistration.ts'

const s = suite('routing/wire/agentRegistration')
const facts = {
  serviceName: 'S',
  version: '1.2',
  publicUrl: 'https://a.example',
  x402Support: false,
  active: true,
}

s('tells agents of what there is, and of a sale where there is one [teeth/wire-agent]', () => {
  const bare = fromAgent(facts)
  assert.is(checkShape(agentRegistration, bare), undefined)
  const plain = [
    { name: 'web', endpoint: 'https://a.example/docs' },
    { name: 'OpenAPI', endpoint: 'https://a.example/openapi.json', version: '1.2' },
  ]
  assert.equal(bare.services, plain)
  assert.match(bare.description, 'payload. It never signs')
  const { name, x402Support, active, registrations, supportedTrust } = bare
  assert.equal(
    [name, x402Support, active, registrations, supportedTrust],
    ['S', false, true, [], []],
  )
  const identity = { agentId: 3, agentRegistry: `eip155:1:0x${'ab'.repeat(20)}` }
  const selling = fromAgent({
    ...facts,
    isQuotaSold: true,
    x402Support: true,
    registrations: [identity],
    mcpUrl: 'https://a.example/mcp',
  })
  assert.is(checkShape(agentRegistration, selling), undefined)
  assert.equal(selling.services.slice(2), [
    { name: 'x402', endpoint: 'https://a.example/.well-known/x402', version: '2' },
    { name: 'MCP', endpoint: 'https://a.example/mcp', version: '2026-07-28' },
  ])
  assert.match(
    selling.description,
    'Quotes cost 0.0001 USD each, bought with USDC on chain; it never',
  )
  assert.equal([selling.x402Support, selling.registrations], [true, [identity]])
})
s.run()
