import { startNode } from '../../fixtures/nodes/start/startNode.ts'
import { createTinyChain } from '../../fixtures/nodes/testing/createTinyChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { base } from '../chain/base.ts'
import type { Config } from '../config/config.ts'
import { createLog } from '../observe/log.ts'
import { connectChains } from './connectChains.ts'

const s = suite('parts/connectChains')

s(
  'warns of one node of several that serves another chain, and starts [nodes/one-wrong]',
  async () => {
    const upstream = createTinyChain({ head: 1_000 })
    await using right = await startNode({ profile: 'own-reth', upstream, faults: [] })
    await using other = await startNode({ profile: 'own-reth', upstream, faults: [] })
    other.inject({ kind: 'chainId', chainId: 1, methods: ['eth_chainId'] })
    const lines: string[] = []
    const rpcUrls = [right.url, other.url]
    const destination = { write: (line: string) => void lines.push(line) }
    const log = createLog({ level: 'warn', secrets: rpcUrls, destination })
    const config = { chains: [{ chain: base, rpcUrls, wsUrl: undefined }] } as unknown as Config
    const [client] = await connectChains(config, { log, budgets: new Map() })
    try {
      await waitFor('a warning', () => lines.length > 0)
      const { chainId, place, actual } = JSON.parse(lines[0] ?? '{}')
      assert.equal([chainId, place, actual, lines.length], [8453, 2, 1, 1])
    } finally {
      client?.close()
    }
  },
)
s.run()
