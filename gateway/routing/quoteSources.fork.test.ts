import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { getChain, getDexes } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { createRouting } from './service/routing.ts'
import { startPickyNode } from './testing/startPickyNode.ts'

const chainId = 42161
const world = await startWorldChain({ chainId })

const node = await startPickyNode(world.rpcUrl)
const chain = getChain(chainId)
if (!chain) throw new Error('chain 42161 is built in')
const chainClient = createChainClient({ chain, rpcUrls: [node.url], timeoutMs: 2_000 })
const open = (dexNames: readonly string[]) =>
  createRouting({
    chains: [
      {
        chainClient,
        executor: world.manifest.executor,
        maxAgeMs: 0,
        pollMs: 100,
        seeds: [],
        dexes: getDexes(chainId).filter(({ name }) => dexNames.includes(name)),
      },
    ],
    simulator: undefined,
    serviceName: 'test',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
    maxLagMs: 4_000,
  })

const patient = { deadlineMs: 60_000 }
const s = suite('quote sources')
const routing = await open(['uniswap-v3'])
s.after(async () => {
  await routing.close()
  chainClient.close()
  node.close()
  await world.close()
})

const token = (symbol: string) => {
  const found = world.manifest.tokens[symbol]
  if (!found) throw new Error(`no ${symbol}`)
  return found.address
}
const lagMs = () => routing.status()[0]?.lagMs ?? 0

async function quote(tokenIn: string, tokenOut: string) {
  const outcome = await routing.quote({
    chainId,
    tokenIn: token(tokenIn),
    tokenOut: token(tokenOut),
    amountIn: 10n ** 18n,
    slippageBps: 50,
  })
  if (outcome.status !== 'ok') throw new Error(outcome.status)
  return outcome.quote
}

s(
  'reads the pools of tokens asked for the first time in at most three round trips [routing/source-rpc]',
  async () => {
    assert.is(routing.status()[0]?.state?.pools.size, 0)
    const before = node.batches.length
    const first = await quote('WETH', 'GMX')
    assert.is(first.source, 'rpc')
    const used = node.batches.slice(before).filter((methods) => methods.includes('eth_call'))
    assert.ok(used.length <= 3, JSON.stringify(used))
    assert.is((await quote('WETH', 'GMX')).source, 'local')
  },
)

s('asks the node once for a token that does not exist', async () => {
  const ghost = '0x00000000000000000000000000000000000000Aa'
  const ask = () =>
    routing.quote({
      chainId,
      tokenIn: token('WETH'),
      tokenOut: ghost,
      amountIn: 10n ** 18n,
      slippageBps: 50,
    })
  assert.is((await ask()).status, 'no_route')
  const calls = () => node.batches.flat().filter((method) => method === 'eth_call').length
  const before = calls()
  assert.is((await ask()).status, 'no_route')
  assert.is(calls(), before)
})

s(
  'says unverified, without a payload, when the dry run that was asked for cannot be had [routing/unverified]',
  async () => {
    const outcome = await routing.quote({
      chainId,
      tokenIn: token('WETH'),
      tokenOut: token('GMX'),
      verify: true,
      amountIn: 10n ** 18n,
      slippageBps: 50,
    })
    if (outcome.status !== 'ok') throw new Error(outcome.status)
    assert.is(outcome.quote.readiness, 'unverified')
    assert.is(outcome.quote.executable, false)
    assert.is(outcome.quote.unexecutableReason, 'verification_unavailable')
  },
)

s(
  'reads only the pools of a known path when the state cannot be followed [routing/source-hint]',
  async () => {
    const followed = await quote('WETH', 'GMX')
    node.refused.add('eth_getLogs')
    await createRpc(world.rpcUrl)('evm_mine')
    let hinted = followed
    // A read of the path that fails on a busy machine is answered from the old state; the next is not.
    await waitFor(
      'it asks the source',
      async () => {
        hinted = await quote('WETH', 'GMX')
        return hinted.source === 'path_hint'
      },
      patient,
    )
    assert.is(hinted.readiness, 'ready')
    assert.is(hinted.optimalityGapBps, undefined)
    assert.is(hinted.amountOut, followed.amountOut)
    assert.is(hinted.lastSyncBlock, followed.lastSyncBlock + 1n)
  },
)

s('says stale, without a payload, when the node is gone [routing/stale]', async () => {
  node.refused.add('*')
  await waitFor('it lags', () => lagMs() > 4_000, patient)
  let stale = await quote('WETH', 'GMX')
  // What was read of the path just before is shared for a moment.
  await waitFor(
    'what was read is old',
    async () => {
      stale = await quote('WETH', 'GMX')
      return stale.source === 'local'
    },
    patient,
  )
  assert.is(stale.readiness, 'stale')
  assert.is(stale.executable, false)
  assert.is(stale.unexecutableReason, 'stale_state')
  assert.ok(stale.syncLagMs > 4_000)
  assert.is(routing.health(), 'degraded')
})

s('is back as soon as the node is', async () => {
  node.refused.clear()
  await waitFor('it is well', () => routing.health() === 'ok', patient)
  const again = await quote('WETH', 'GMX')
  assert.is(again.source, 'local')
  assert.is(again.readiness, 'ready')
})

s.run()
