import { validate } from '@readme/openapi-parser'
import type { Static } from 'typebox'
import { createInject } from '../../fixtures/inject.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createAccess } from '../access/access.ts'
import { accessEndpoints } from '../access/wire/routes.ts'
import { benchAccess } from '../bench/server/benchAccess.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { createService } from '../http/service.ts'
import { checkShape } from '../http/validate.ts'
import { openStore } from '../store/openStore.ts'
import { startRoutingStand } from './testing/routingStand.ts'
import { agentRegistration } from './wire/agentRegistration.ts'

const registration = { agentId: 42, agentRegistry: `eip155:8453:0x${'8'.repeat(40)}` }
const mcpUrl = 'https://routing.example/mcp'
const stand = await startRoutingStand({
  x402Support: true,
  registrations: [registration],
  mcpUrl,
})

/** The routing service as the gateway mounts it: its own endpoints and those of access. */
const store = openStore({ path: ':memory:' })
const log = { debug() {}, info() {}, warn() {}, error() {} }
const { chainId, chainClient, manifest } = stand
const contract = {
  chainId,
  address: manifest.quotaManager,
  token: chainClient.chain.usdc,
  confirmations: 1,
  finalizedFrom: 10n ** 12n,
}
const config = { ...benchAccess, contracts: [contract] }
const deps = { store, chains: [chainClient], config, log, now: Date.now }
const whole = createService({
  name: 'routing',
  endpoints: [...stand.routing.endpoints, ...accessEndpoints(deps)],
  access: createAccess(deps),
  log,
})
const askWhole = createInject(whole.app)
const document = JSON.parse(
  (await askWhole({ method: 'GET', path: '/openapi.json', headers: {} })).text,
) as { paths: Record<string, Record<string, object>> }

const s = suite('documents of the routing service')
s.after(async () => {
  store.close()
  await stand.close()
})

type Layer = { readonly path: string; readonly methods: readonly string[] }
/** What Koa's router itself would match. */
function listRoutes(): string[] {
  const [router] = whole.app.middleware.flatMap((each) => ('router' in each ? [each.router] : []))
  const { stack } = router as { readonly stack: readonly Layer[] }
  return stack.flatMap(({ path, methods }) =>
    methods.flatMap((method) => (method === 'HEAD' ? [] : [`${method} ${path}`])),
  )
}

s('are OpenAPI 3.1 that a parser of others accepts [routing/openapi]', async () => {
  const result = await validate(structuredClone(document) as never)
  assert.ok(result.valid, JSON.stringify(result))
})

s(
  'say of a 402 when nothing can be paid, and of a comparison how much it takes [routing/described]',
  () => {
    type Operation = { description: string; responses: Record<string, { description: string }> }
    const operation = (path: string, method: string) => document.paths[path]?.[method] as Operation
    const unpaid = operation('/quote', 'post').responses['402']?.description ?? ''
    assert.match(unpaid, '`exact` only while a payment of this caller would be settled')
    assert.match(unpaid, 'Without the header nothing is sold here')
    assert.match(operation('/compare/simulate', 'post').description, /^1 to 32 candidates/)
  },
)

s('name every route of the router, and nothing that it does not answer', () => {
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map(
      (method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ),
  )
  const routes = listRoutes()
  assert.ok(routes.length >= 16, routes.join())
  assert.equal(documented.toSorted(), routes.toSorted())
})

function toRequest({ path, examples }: Endpoint): readonly [path: string, body?: unknown] {
  const query = Object.entries(examples?.query ?? {}).map(([name, value]) => [name, String(value)])
  const search = query.length > 0 ? `?${new URLSearchParams(Object.fromEntries(query))}` : ''
  return [path + search, examples?.input]
}

/** Names of members at every depth, with those of lists taken together. */
function listNames(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => listNames(each, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, each]) =>
    listNames(each, /^0x/.test(name) ? `${path}.<address>` : `${path}.${name}`),
  )
}
/** Depends on how the answer was found, not on what was asked. */
const variable = /optimality_gap_bps$|dexes_left_out|coverage\[\]\.(left_out|refused)|^$/

const documented = stand.routing.endpoints.filter(({ examples }) => examples)
for (const endpoint of documented)
  s(`ask and answer as the example of ${endpoint.path} does [routing/examples]`, async () => {
    const { examples, output } = endpoint
    assert.is(checkShape(output, examples?.output), undefined)
    // The service checks that the answer fits its schema, too.
    const answer = await stand.get<unknown>(...toRequest(endpoint))
    const names = (value: unknown) =>
      [...new Set(listNames(value))].filter((name) => !variable.test(name)).toSorted()
    assert.equal(names(answer), names(examples?.output))
  })

s('have an example for every endpoint that takes a body or a query', () => {
  const bare = stand.routing.endpoints.filter(
    ({ input, query, examples }) => (input || query) && !examples,
  )
  assert.equal(bare, [])
  assert.ok(documented.length >= 8)
})

s(
  'hold an agent registration of ERC-8004 with what the operator configured [routing/agent]',
  async () => {
    const agent = await stand.get<Static<typeof agentRegistration>>(
      '/.well-known/agent-registration.json',
    )
    assert.is(checkShape(agentRegistration, agent), undefined)
    assert.is(agent.type, 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1')
    assert.equal(agent.registrations, [registration])
    assert.is(agent.services.find(({ name }) => name === 'MCP')?.endpoint, mcpUrl)
    assert.equal([agent.x402Support, agent.active], [true, true])
    // Absolute, from configuration: no Host header moves them.
    for (const { endpoint } of agent.services)
      assert.ok(endpoint.startsWith('https://routing.example/'), endpoint)
    const wrong = [
      { ...agent, type: 'registration-v1' },
      { ...agent, image: 'http://127.0.0.1/image.png' },
      { ...agent, services: [] },
      { ...agent, x402Support: 'yes' },
      { ...agent, registrations: [{ agentId: '42', agentRegistry: registration.agentRegistry }] },
      { ...agent, registrations: [{ agentId: 42, agentRegistry: '0x12' }] },
    ]
    for (const each of wrong) assert.type(checkShape(agentRegistration, each), 'string')
  },
)

s('hold URLs that the service answers', async () => {
  const agent = await stand.get<Static<typeof agentRegistration>>(
    '/.well-known/agent-registration.json',
  )
  const paths = agent.services
    // A server of its own, which a proxy brings under the same name.
    .filter(({ name }) => name !== 'MCP')
    .map(({ endpoint }) => new URL(endpoint).pathname)
  const routes = listRoutes()
  for (const path of paths) assert.ok(routes.includes(`GET ${path}`), path)
})

s.run()
