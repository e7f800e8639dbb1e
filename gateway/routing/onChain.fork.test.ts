import type { Static } from 'typebox'
import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { readContract } from 'viem/actions'
import { send } from '../../fixtures/chains/send.ts'
import { openService } from '../../fixtures/openService.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { createRouting } from './service/routing.ts'
import type { DisposalBody, disposalResponse } from './wire/lpDisposal.ts'
import type { QuoteResponse } from './wire/quote.ts'

const chainId = 8453
const world = await startWorldChain({ chainId })
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: world.rpcUrl }] })
const chain = getChain(chainId)
if (!chain) throw new Error('chain 8453 is built in')
const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl] })
const start = (executor: Address | undefined) =>
  createRouting({
    chains: [{ chainClient, executor, maxAgeMs: 0, pollMs: 3_600_000 }],
    simulator,
    serviceName: 'test',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
  })
const [routing, bare] = await Promise.all([start(world.manifest.executor), start(undefined)])
const post = openService(routing.endpoints)

const s = suite('promises kept on chain')
s.after(async () => {
  await Promise.all([routing.close(), bare.close()])
  await simulator.close()
  chainClient.close()
  await world.close()
})

const token = (symbol: string): Address => {
  const found = world.manifest.tokens[symbol]
  if (!found) throw new Error(`no ${symbol}`)
  return found.address
}
const [account] = world.manifest.accounts
if (!account) throw new Error('the world funds accounts')
const sender = { rpcUrl: world.rpcUrl, privateKey: account.privateKey }
const args = [world.manifest.executor, maxUint256] as const
const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
for (const symbol of ['WETH', 'cbBTC', 'AERO', 'BRETT'])
  await send(sender, { to: token(symbol), data: approval })

const heldOf = (address: Address) =>
  readContract(chainClient.client, {
    address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [account.address],
  })

type Execution = NonNullable<QuoteResponse['execution']>
/** Sends a payload; what its sender gained, undefined where it reverted. */
async function execute({ target, calldata, value }: Execution, received: Address) {
  const before = await heldOf(received)
  const receipt = await send(sender, {
    to: target as Address,
    data: calldata as Hex,
    value: BigInt(value),
    gas: 6_000_000n,
  })
  return receipt.status === 'success' ? (await heldOf(received)) - before : undefined
}

/** The same payload with another bound: the fourth word of its parameters. */
function withBound({ calldata, ...rest }: Execution, minAmountOut: bigint): Execution {
  const at = 2 + 8 + 3 * 64
  const word = minAmountOut.toString(16).padStart(64, '0')
  return { ...rest, calldata: calldata.slice(0, at) + word + calldata.slice(at + 64) }
}

const ask = (amountIn: bigint, slippageBps: number) =>
  post<QuoteResponse>('/quote', {
    chain_id: chainId,
    token_in: token('WETH'),
    token_out: token('USDC'),
    amount_in: String(amountIn),
    slippage_bps: slippageBps,
    taker: account.address,
  })
const executionOf = ({ execution }: QuoteResponse): Execution => {
  if (!execution) throw new Error('there is a payload')
  return execution
}

s(
  'enforces the slippage at the wei: one more than is delivered reverts [routing/slippage]',
  async () => {
    const quote = await ask(10n ** 18n, 0)
    assert.is(quote.min_output, quote.output)
    const output = BigInt(quote.output)
    const execution = executionOf(quote)
    assert.is(await execute(withBound(execution, output + 1n), token('USDC')), undefined)
    assert.is(await execute(execution, token('USDC')), output)
  },
)

s(
  'reverts when the state has moved by more than the slippage, delivers when by less [routing/moved-state]',
  async () => {
    const [strict, loose] = [await ask(10n ** 18n, 0), await ask(10n ** 18n, 100)]
    await execute(executionOf(await ask(3n * 10n ** 18n, 100)), token('USDC'))
    assert.is(await execute(executionOf(strict), token('USDC')), undefined)
    const gained = await execute(executionOf(loose), token('USDC'))
    assert.ok(gained !== undefined && gained >= BigInt(loose.min_output))
    assert.ok(gained < BigInt(loose.output))
  },
)

type Disposal = Static<typeof disposalResponse>
const dispose = (body: Partial<DisposalBody>) =>
  post<Disposal>('/quote_lp_disposal', {
    chain_id: chainId,
    target_token: token('USDC'),
    taker: account.address,
    ...body,
  })

s(
  'counts no liquidity twice: the legs sent one by one deliver exactly the total [routing/legs-once]',
  async () => {
    const legs = ['WETH', 'cbBTC', 'AERO', 'BRETT'].map((symbol) => ({
      token: token(symbol),
      // Legs this large share pools on their way.
      amount: String(BigInt(account.funded[symbol] ?? 0) / 20n),
    }))
    const together = await dispose({ legs })
    const alone = await Promise.all(legs.map((leg) => dispose({ legs: [leg] })))
    const apart = alone.reduce((sum, each) => sum + BigInt(each.total_estimated_output), 0n)
    assert.ok(BigInt(together.total_estimated_output) < apart, 'legs see what earlier ones left')
    let delivered = 0n
    for (const { quote } of together.legs) {
      if (!quote) throw new Error('every leg has a route')
      const gained = await execute(executionOf(quote), token('USDC'))
      assert.is(gained, BigInt(quote.output))
      delivered += gained ?? 0n
    }
    assert.is(delivered, BigInt(together.total_estimated_output))
  },
)

s('sizes, clamps and prices legs in integers as the rules say [routing/leg-sizes]', async () => {
  const leg = { token: token('WETH'), value_usd: 1000 }
  const base = { legs: [{ ...leg, max_amount: maxUint256.toString() }] }
  const amountOf = async (body: Partial<DisposalBody>) => {
    const [first] = (await dispose(body)).legs
    if (!first) throw new Error('one leg')
    return first
  }
  const whole = await amountOf({ ...base, amount_haircut_bps: 0 })
  const cut = await amountOf(base)
  assert.is(BigInt(cut.estimated_amount_in), (BigInt(whole.estimated_amount_in) * 9_950n) / 10_000n)
  assert.is(cut.price?.source, 'pools')
  assert.is(cut.capped, undefined)
  // A bound below the cut amount clamps it; one at it does not.
  const bound = BigInt(cut.estimated_amount_in)
  const below = await amountOf({ legs: [{ ...leg, max_amount: String(bound - 1n) }] })
  assert.equal([below.capped, below.estimated_amount_in], [true, String(bound - 1n)])
  const at = await amountOf({ legs: [{ ...leg, max_amount: String(bound) }] })
  assert.equal([at.capped, at.estimated_amount_in], [undefined, String(bound)])
  const unbounded = await amountOf({ legs: [leg], allow_unbounded_estimate: true })
  assert.is(unbounded.estimated_amount_in, cut.estimated_amount_in)
  const both = await amountOf({
    legs: [{ ...leg, amount: '1000000000000000', max_amount: '999999999999999' }],
  })
  assert.equal([both.capped, both.estimated_amount_in], [true, '999999999999999'])
  const explicit = await amountOf({ legs: [{ ...leg, amount: '1000000000000000' }] })
  assert.equal(
    [explicit.amount_source, explicit.estimated_amount_in],
    ['explicit', '1000000000000000'],
  )
})

s('verifies every leg by simulation in ultra mode [routing/ultra]', async () => {
  const { legs } = await dispose({
    legs: [{ token: token('WETH'), amount: '1000000000000000' }],
    routing_mode: 'ultra',
  })
  assert.is(legs[0]?.quote?.route_readiness, 'verified')
  assert.is(legs[0]?.quote?.verify_block_lag, undefined)
})

s(
  'says no_executor, without a payload, on a chain where none is deployed [routing/no-executor]',
  async () => {
    const outcome = await bare.quote({
      chainId,
      tokenIn: token('WETH'),
      tokenOut: token('USDC'),
      amountIn: 10n ** 18n,
      slippageBps: 50,
    })
    if (outcome.status !== 'ok') throw new Error(outcome.status)
    const { readiness, execution, executable, unexecutableReason } = outcome.quote
    assert.equal([readiness, executable], ['no_executor', false])
    assert.equal([execution, unexecutableReason], [undefined, 'executor_not_deployed'])
  },
)

s.run()
