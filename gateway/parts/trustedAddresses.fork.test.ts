import { keccak256 } from 'viem'
import { getCode } from 'viem/actions'
import { assert, suite } from '../../fixtures/test.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { readConfig } from '../config/config.ts'
import { createLog } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { startSwapStand } from '../routing/testing/swapStand.ts'
import { deployTwoFaced, openPool } from '../routing/testing/twoFaced.ts'
import { openStore } from '../store/openStore.ts'
import { startRouting } from './startRouting.ts'

const s = suite('trusted addresses of an operator')
const stand = await startSwapStand(8453)
const { chainId, rpcUrl, chainClient, manifest } = stand
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: rpcUrl }] })
const store = openStore({ path: ':memory:' })
s.after(async () => {
  await simulator.close()
  store.close()
  await stand.close()
})
const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => manifest.tokens[symbol]?.address)
if (!weth || !usdc) throw new Error('the world has them')

/** A pool that is better than any other, and whose rate provider is in no table. */
const { provider, show } = await deployTwoFaced(stand, 'own', simulator.simulatedTaker(chainId))
const rate = 2_900n * 10n ** 18n
await show({ tell: 'honest', good: rate, bad: rate })
const amounts = [10n ** 21n, 10n ** 9n * 3_000n] as const
const pool = await openPool(stand, { provider, tokens: [weth, usdc], amounts })

async function readinessOf(settings: Record<string, string>) {
  const routing = await startRouting(
    readConfig({
      FORKYARD_MODE: 'offline',
      KEY_PEPPER: 'p'.repeat(32),
      BASE_RPC_URL: rpcUrl,
      BASE_EXECUTOR: manifest.executor,
      // A cold fork of a busy machine takes its time.
      UNKNOWN_POOL_PATIENCE_MS: '60000',
      ...settings,
    }),
    {
      clients: [chainClient],
      simulator,
      store,
      log: createLog({ level: 'silent', secrets: [] }),
      metrics: createMetrics(),
      warnings: () => [],
      contracts: [],
    },
  )
  try {
    const request = { chainId, tokenIn: usdc, tokenOut: weth, amountIn: 10n ** 9n, slippageBps: 50 }
    const outcome = await routing.quote(request as Parameters<typeof routing.quote>[0])
    if (outcome.status !== 'ok') throw new Error(outcome.status)
    const { steps, readiness } = outcome.quote
    assert.ok(steps.some((step) => step.pool.toLowerCase() === pool.toLowerCase()))
    return readiness
  } finally {
    await routing.close()
  }
}

s('have pools quoted without a dry run that need one otherwise [trust/operator]', async () => {
  assert.is(await readinessOf({}), 'verified')
  assert.is(await readinessOf({ BASE_TRUSTED_ADDRESSES: provider.toLowerCase() }), 'ready')
})

s('the same by the hash of its code, wherever it stands [trust/code-hash]', async () => {
  const code = await getCode(chainClient.client, { address: provider })
  const other = keccak256('0x01')
  assert.is(await readinessOf({ BASE_TRUSTED_CODE_HASHES: other }), 'verified')
  const hashes = [other, keccak256(code ?? '0x')]
  assert.is(await readinessOf({ BASE_TRUSTED_CODE_HASHES: hashes.join() }), 'ready')
})
s.run()
