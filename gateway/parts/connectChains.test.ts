import { startNode } from '../../fixtures/nodes/start/startNode.ts'
import { createTinyChain } from '../../fixtures/nodes/testing/createTinyChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { base } from '../chain/base.ts'
import type { Config } from '../config/config.ts'
import { createLog } from '../observe/log.ts'
import { connectChains } from './connectChains.ts'

const s = suite('parts/connectChains')
const upstream = createTinyChain({ head: 1_000 })
const openNode = () => startNode({ profile: 'own-reth', upstream, faults: [] })
const away = 'http://127.0.0.1:9/'

/** The chain of these URLs, and whom the log warns of meanwhile. */
async function connect(rpcUrls: readonly string[]) {
  const warnings: (readonly unknown[])[] = []
  const write = (line: string) => {
    const { chainId, place, actual } = JSON.parse(line)
    warnings.push([chainId, place, actual])
  }
  const log = createLog({ level: 'warn', secrets: rpcUrls, destination: { write } })
  const config = { chains: [{ chain: base, rpcUrls, wsUrl: undefined }] } as unknown as Config
  const [client] = await connectChains(config, { log, budgets: new Map() })
  if (!client) throw new Error('a chain has a client')
  return { client, warnings, [Symbol.dispose]: client.close }
}

s(
  'warns of one node of several that serves another chain, and starts [nodes/one-wrong]',
  async () => {
    await using right = await openNode()
    await using other = await openNode()
    other.inject({ kind: 'chainId', chainId: 1, methods: ['eth_chainId'] })
    using connected = await connect([right.url, other.url])
    const { warnings } = connected
    await waitFor('a warning', () => warnings.length > 0)
    assert.equal(warnings, [[8453, 2, 1]])
  },
)
s(
  'starts where one node serves another chain and the right one is away, and names the one [nodes/wrong-and-away]',
  async () => {
    await using other = await openNode()
    other.inject({ kind: 'chainId', chainId: 1, methods: ['eth_chainId'] })
    using connected = await connect([other.url, away])
    const { client, warnings } = connected
    await waitFor('two warnings', () => warnings.length > 1)
    const ofPlaces = warnings.filter(([, place]) => place !== undefined)
    // The other says that the chain is waited for.
    assert.equal([ofPlaces, warnings.length], [[[8453, 1, 1]], 2])
    assert.is(client.otherChain(), 1)
  },
)
s.run()
