import { createInject } from '../../../fixtures/inject.ts'
import type { Access } from '../../http/access.ts'
import { createService } from '../../http/service.ts'
import type { RoutingChain } from '../../routing/routingChain.ts'
import type { Refusal } from '../../routing/testing/routingStand.ts'
import type { SearchThreads } from '../../routing/threads/searchThreads.ts'
import { routingEndpoints } from '../../routing/wire/routes.ts'
import { createGeneratedChain } from './generatedChain.ts'

/** The routing service over a generated chain, without a node: asked in process, or where it listens. */
export function createGeneratedStand({
  change = (chain) => chain,
  access,
  trustedProxies = [],
  ...size
}: {
  readonly pools: number
  readonly tokens: number
  readonly seed: number
  readonly threads?: SearchThreads | undefined
  readonly change?: (chain: RoutingChain) => RoutingChain
  /** Default: every key is valid, and what it is charged goes to `ledger`. */
  readonly access?: Access | undefined
  readonly trustedProxies?: readonly string[] | undefined
}) {
  const generated = createGeneratedChain(size)
  const chain = change(generated.chain)
  const { chainId } = chain
  const ledger = { charged: 0, debits: 0 }
  const endpoints = routingEndpoints({
    chains: new Map([[chainId, chain]]),
    simulator: undefined,
    maxLagMs: 30_000,
    serviceName: 'test',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
    startedAtMs: 0,
    now: () => performance.now(),
  })
  const service = createService({
    name: 'routing',
    endpoints,
    access: access ?? {
      identify: async ({ headers }) => {
        const keyId = headers['x-api-key']
        return typeof keyId === 'string' ? { keyId, scopes: [] } : undefined
      },
      limit: async () => undefined,
      charge: async ({ cost }) => ({
        status: 'charged',
        headers: {},
        conclude: async ({ status }) => {
          if (status >= 300) return
          ledger.charged += cost
          ledger.debits += 1
        },
      }),
    },
    checkOutput: true,
    trustedProxies,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const inject = createInject(service.app)

  /** Without a key where it is null. */
  async function ask(path: string, body?: object, key: string | null = 'k') {
    const { status, headers, text } = await inject({
      path,
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...(key !== null && { 'x-api-key': key }) },
      body: body && JSON.stringify(body),
    })
    return { status, headers, body: JSON.parse(text) as unknown }
  }

  return {
    ...generated,
    chain,
    ledger,
    endpoints,
    listen: service.listen,
    ask,
    /** The 200 of a request, whose shape the service checks; throws at any other answer. */
    async get<answer>(path: string, body?: object, key?: string): Promise<answer> {
      const answer = await ask(path, body, key)
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body as answer
    },
    async refusalOf(path: string, body?: object, key?: string): Promise<Refusal> {
      const answer = await ask(path, body, key)
      if (answer.status < 400) throw new Error(`answered: ${JSON.stringify(answer.body)}`)
      return { ...(answer.body as Omit<Refusal, 'status'>), status: answer.status }
    },
  }
}
