import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  maxUint256,
  zeroAddress,
} from 'viem'
import { send } from '../../fixtures/send.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { getDexes } from '../chain/dexes.ts'
import type { Access } from '../http/access.ts'
import { createService } from '../http/service.ts'
import { createRouting } from './createRouting.ts'

const chainId = 8453
const world = await startWorldChain({ chainId })
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: world.rpcUrl }] })
const chain = getChain(chainId)
if (!chain) throw new Error('chain 8453 is built in')
const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl] })
const routing = await createRouting({
  chains: [{ chainClient, executor: world.manifest.executor, maxAgeMs: 0, pollMs: 200 }],
  simulator,
  serviceName: 'forkyard-test',
  version: '1.2.3',
  publicUrl: 'https://routing.example',
  x402Support: true,
})

/** Knows one key; counts what stays charged. */
let charged = 0
const access: Access = {
  identify: async ({ headers }) =>
    headers['x-api-key'] === 'good' ? { keyId: 'k', scopes: [] } : undefined,
  limit: async () => undefined,
  charge: async ({ cost }) => ({
    status: 'charged',
    headers: {},
    conclude: async ({ status }) => {
      if (status < 300) charged += cost
    },
  }),
}
const quiet = () => undefined
const service = createService({
  name: 'routing',
  endpoints: routing.endpoints,
  access,
  checkOutput: true,
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
})
const listening = await service.listen({ port: 0, host: '127.0.0.1' })

const s = suite('routing service')
s.after(async () => {
  await listening.close()
  await routing.close()
  await simulator.close()
  chainClient.close()
  await world.close()
})

// biome-ignore lint/suspicious/noExplicitAny: answers are judged field by field
type Answer = { status: number; body: any }
async function request(path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${listening.url}${path}`, {
    ...(body !== undefined && {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
    headers: { 'content-type': 'application/json', 'x-api-key': 'good' },
  })
  return { status: response.status, body: await response.json() }
}

const tokenOf = (symbol: string): Address => {
  const token = world.manifest.tokens[symbol]
  if (!token) throw new Error(`no ${symbol}`)
  return token.address
}
const [weth, usdc, tax, brett] = ['WETH', 'USDC', 'TAX', 'BRETT'].map(tokenOf) as [
  Address,
  Address,
  Address,
  Address,
]
const [account] = world.manifest.accounts
if (!account) throw new Error('the world funds accounts')
const sender = { rpcUrl: world.rpcUrl, privateKey: account.privateKey }
const oneEth = '1000000000000000000'
const quoteBody = {
  chain_id: chainId,
  token_in: weth,
  token_out: usdc,
  amount_in: oneEth,
}

async function balanceOf(token: Address, owner: Address): Promise<bigint> {
  const { readContract } = await import('viem/actions')
  return readContract(chainClient.client, {
    address: token,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner],
  })
}

async function approve(token: Address) {
  const args = [world.manifest.executor, maxUint256] as const
  await send(sender, {
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args }),
  })
}

type WireExecution = { target: Address; calldata: `0x${string}`; value: string }
const sendExecution = ({ target, calldata, value }: WireExecution) =>
  send(sender, { to: target, data: calldata, value: BigInt(value), gas: 5_000_000n })

s('answers a quote with every field of the document', async () => {
  const { status, body } = await request('/quote', { ...quoteBody, amount_usd: 'ignored' })
  assert.is(status, 200)
  assert.is(body.dex, 'forkyard-test')
  assert.is(body.source, 'local')
  assert.is(body.route_readiness, 'ready')
  assert.is(body.route_executable, true)
  assert.is(body.router, body.execution.target)
  assert.is(body.calldata, body.execution.calldata)
  assert.is(body.execution.spender, world.manifest.executor)
  assert.is(body.execution.value, '0x0')
  assert.is(body.pool_grades.length, body.steps.length)
  assert.is(body.verify_block_lag, undefined)
  assert.ok(BigInt(body.gas_estimate) > 100_000n)
  assert.match(body.route_path, /WETH>\[.+:\d+\]>/)
  assert.is(BigInt(body.min_output), (BigInt(body.output) * 9_950n) / 10_000n)
})

s('verifies by a dry run of the payload where it is asked to', async () => {
  const { body } = await request('/quote', { ...quoteBody, verify: true })
  assert.is(body.route_readiness, 'verified')
  assert.is(body.verified_output, body.output)
  assert.is(body.deviation_bps, 0)
  assert.type(body.verify_block_lag, 'number')
})

s('says custody_invalid when the payload does not deliver to the taker', async () => {
  // The executor refuses to pay itself.
  const { status, body } = await request('/quote', {
    ...{ ...quoteBody, verify: true },
    taker: world.manifest.executor,
  })
  assert.is(status, 200)
  assert.is(body.route_readiness, 'custody_invalid')
  assert.is(body.route_executable, false)
  assert.is(body.route_unexecutable_reason, 'dry_run_failed')
  assert.is(body.execution, undefined)
})

s('measures the tax of a fee-on-transfer token and delivers exactly the output', async () => {
  await approve(tax)
  for (const [token_in, token_out, field] of [
    [tax, usdc, 'tax_in_bps'],
    [weth, tax, 'tax_out_bps'],
  ] as const) {
    await approve(token_in)
    const amount_in = '1000000000000000000'
    const quoted = await request('/quote', {
      ...{ chain_id: chainId, token_in, token_out, amount_in },
      taker: account.address,
    })
    assert.is(quoted.status, 200)
    assert.is(quoted.body[field], 100)
    const before = await balanceOf(token_out, account.address)
    const receipt = await sendExecution(quoted.body.execution)
    assert.is(receipt.status, 'success')
    const gained = (await balanceOf(token_out, account.address)) - before
    assert.is(gained, BigInt(quoted.body.output), field)
  }
})

s('quotes what the pools take of a giant amount with allow_partial, and 404 without', async () => {
  // All ticks of a v3-only token end somewhere.
  const giant = { ...quoteBody, token_in: weth, token_out: brett, amount_in: `1${'0'.repeat(40)}` }
  const refused = await request('/quote', giant)
  const partial = await request('/quote', { ...giant, allow_partial: true })
  if (refused.status === 404) {
    assert.is(refused.body.error, 'no executable route found')
    assert.is(partial.status, 200)
    assert.ok(BigInt(partial.body.input_consumed) < BigInt(giant.amount_in))
  } else assert.is(refused.status, 200)
})

s('wraps and unwraps without a pool', async () => {
  const { body } = await request('/quote', {
    ...{ ...quoteBody, token_in: zeroAddress, token_out: weth },
    verify: true,
  })
  assert.is(body.output, oneEth)
  assert.is(body.route_readiness, 'verified')
  assert.is(body.steps.length, 0)
})

s('solves an exact output for the least input, and its payload delivers it', async () => {
  await approve(weth)
  for (const target of ['1', '1234567', '987654321', '50000000000']) {
    const query = new URLSearchParams({
      ...{ chain_id: String(chainId), token_in: weth, token_out: usdc },
      ...{ target_output: target, max_input: `100${'0'.repeat(18)}` },
      taker: account.address,
    })
    const { status, body } = await request(`/quote_exact_output?${query}`)
    assert.is(status, 200)
    assert.is(body.source, 'SmartRouter:exact_output_via_exact_input')
    assert.ok(BigInt(body.output) >= BigInt(target))
    const before = await balanceOf(usdc, account.address)
    const paid = await balanceOf(weth, account.address)
    await sendExecution(body.execution)
    const gained = (await balanceOf(usdc, account.address)) - before
    assert.is(gained, BigInt(body.output))
    assert.is(paid - (await balanceOf(weth, account.address)), BigInt(body.input_consumed))
  }
})

s('answers an unreachable target with 200 and the reason', async () => {
  const query = new URLSearchParams({
    ...{ chain_id: String(chainId), token_in: weth, token_out: usdc },
    ...{ target_output: `1${'0'.repeat(18)}`, max_input: '1000000' },
  })
  const { status, body } = await request(`/quote_exact_output?${query}`)
  assert.is(status, 200)
  assert.is(body.route_executable, false)
  assert.is(body.route_unexecutable_reason, 'target_unreachable')
  assert.is(body.execution, undefined)
})

s('routes the legs of a position, each on what the legs before left', async () => {
  const { status, body } = await request('/quote_lp_disposal', {
    chain_id: chainId,
    target_token: usdc,
    legs: [
      { token: tokenOf('cbBTC'), value_usd: 1000, max_amount: '100000000' },
      { token: tokenOf('AERO'), value_usd: 1000, max_amount: '1000000000000000' },
      { token: weth, amount: `2000${'0'.repeat(18)}` },
      { token: zeroAddress, amount: `2000${'0'.repeat(18)}` },
      { token: usdc, amount: '5000000' },
    ],
  })
  assert.is(status, 200, JSON.stringify(body))
  assert.is(body.complete, true)
  assert.is(body.failed_legs, 0)
  const [valued, capped, first, second, passthrough] = body.legs
  assert.ok(
    BigInt(second.quote.output) < BigInt(first.quote.output),
    `${second.quote.output} ${first.quote.output} ${first.quote.route_path} ${second.quote.route_path}`,
  )
  assert.is(passthrough.passthrough, true)
  assert.is(passthrough.quote, undefined)
  assert.is(valued.amount_source, 'value_usd')
  assert.is(valued.capped, undefined)
  // 1,000 USD less half a percent, less what the swap costs.
  const delivered = Number(valued.quote.output) / 1e6
  assert.ok(delivered > 960 && delivered < 996, `${delivered}`)
  assert.is(capped.capped, true)
  assert.is(capped.estimated_amount_in, '1000000000000000')
  const sum = body.legs.reduce(
    (total: bigint, leg: { quote?: { output: string }; estimated_amount_in: string }) =>
      total + BigInt(leg.quote?.output ?? leg.estimated_amount_in),
    0n,
  )
  assert.is(body.total_estimated_output, sum.toString())
})

s('reports a failed leg in place with allow_partial, and refuses the whole without', async () => {
  const ghost = '0x00000000000000000000000000000000000000aa'
  const legs = [
    { token: weth, amount: oneEth },
    { token: ghost, amount: '1' },
  ]
  const body = { chain_id: chainId, target_token: usdc, legs }
  assert.is((await request('/quote_lp_disposal', body)).status, 404)
  const partial = await request('/quote_lp_disposal', { ...body, allow_partial: true })
  assert.is(partial.status, 200)
  assert.is(partial.body.complete, false)
  assert.is(partial.body.failed_legs, 1)
  assert.type(partial.body.legs[1].error, 'string')
})

s('compares candidates by what they deliver', async () => {
  const small = await request('/quote', { ...quoteBody, amount_in: '1000000000000' })
  const good = await request('/quote', quoteBody)
  const base = { inputToken: weth, outputToken: usdc, inputAmount: oneEth }
  const { target, calldata, spender } = good.body.execution
  const { status, body } = await request('/compare/simulate', {
    chainId,
    candidates: [
      {
        ...{ ...base, providerId: 'worse', target, approveTarget: spender, value: '0x0' },
        ...{ data: small.body.execution.calldata, inputAmount: '1000000000000', quotedOutput: '1' },
      },
      {
        ...{ ...base, providerId: 'better', target, approveTarget: spender, value: '0' },
        ...{ data: calldata, quotedOutput: good.body.output },
      },
      {
        ...{ ...base, providerId: 'broken', target: usdc, approveTarget: spender, value: '0' },
        ...{ data: '0x12345678', quotedOutput: '1' },
      },
    ],
  })
  assert.is(status, 200)
  assert.is(body.winnerProviderId, 'better')
  const [worse, better, broken] = body.results
  assert.is(worse.providerId, 'worse')
  assert.is(better.accuracyDelta, '0')
  assert.is(better.accuracyBps, 10_000)
  assert.is(better.actualOutput, good.body.output)
  assert.is(broken.status, 'simulation_failed')
  assert.is(broken.success, false)
  assert.type(broken.error, 'string')
})

s('serves its registry', async () => {
  assert.equal((await request('/health')).body.status, 'ok')
  const tokens = (await request('/api/tokens')).body
  assert.equal(tokens[getAddress(usdc)], { chain_id: chainId, symbol: 'USDC', decimals: 6 })
  const [entry] = (await request('/api/chains')).body
  assert.is(entry.chain_id, chainId)
  const names = getDexes(chainId).map(({ name }) => name)
  const followed = world.manifest.pools.filter(({ dex }) => names.includes(dex))
  assert.is(entry.pool_count, followed.length)
  assert.is(entry.executor, world.manifest.executor)
  const [pool] = world.manifest.pools
  const detail = await request(`/api/pool/${chainId}/${pool?.address}`)
  assert.is(detail.body.address, pool?.address)
  assert.is((await request(`/api/pool/${chainId}/${zeroAddress}`)).status, 404)
  assert.is((await request('/api/status')).body.chains[0].simulator_ready, true)
  const agent = (await request('/.well-known/agent-registration.json')).body
  assert.is(agent.active, true, JSON.stringify(agent))
  for (const { endpoint } of agent.services) assert.match(endpoint, /^https:\/\/routing\.example\//)
})

s(
  'refuses every bad quote with its status, one sentence and the field, and charges nothing',
  async () => {
    const before = charged
    const bad: readonly (readonly [number, unknown, string?])[] = [
      [400, {}, 'chain_id'],
      [400, { ...quoteBody, chain_id: 1 }, 'chain_id'],
      [400, { ...quoteBody, chain_id: '8453' }, 'chain_id'],
      [400, { ...quoteBody, token_in: 'WETH' }, 'token_in'],
      [400, { ...quoteBody, token_in: weth.replace('4200', '420G') }, 'token_in'],
      [400, { ...quoteBody, token_in: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914' }, 'token_in'],
      [400, { ...quoteBody, token_out: weth }, 'token_out'],
      [400, { ...quoteBody, token_out: weth.toUpperCase().replace('0X', '0x') }, 'token_out'],
      [400, { ...quoteBody, amount_in: 1 }, 'amount_in'],
      [400, { ...quoteBody, amount_in: '0' }, 'amount_in'],
      [400, { ...quoteBody, amount_in: '-1' }, 'amount_in'],
      [400, { ...quoteBody, amount_in: '1.5' }, 'amount_in'],
      [400, { ...quoteBody, amount_in: '1e18' }, 'amount_in'],
      [400, { ...quoteBody, amount_in: (2n ** 256n).toString() }, 'amount_in'],
      [400, { ...quoteBody, slippage_bps: -1 }, 'slippage_bps'],
      [400, { ...quoteBody, slippage_bps: 10_001 }, 'slippage_bps'],
      [400, { ...quoteBody, slippage_bps: 0.5 }, 'slippage_bps'],
      [400, { ...quoteBody, taker: '0x12' }, 'taker'],
      [400, { ...quoteBody, allow_partial: 'yes' }, 'allow_partial'],
      [404, { ...quoteBody, token_out: '0x00000000000000000000000000000000000000bb' }],
      [404, { ...quoteBody, amount_in: (2n ** 256n - 1n).toString() }],
      [400, '{"chain_id":'],
      [413, `{"x":"${'x'.repeat(1_000_000)}"}`],
    ]
    for (const [status, body, field] of bad) {
      const answer = await request('/quote', body)
      const label = JSON.stringify(body).slice(0, 200)
      assert.is(answer.status, status, label)
      assert.type(answer.body.error, 'string')
      if (field) assert.is(answer.body.details?.[0]?.field, field, label)
    }
    assert.is(charged, before)
  },
)

s('refuses bad positions and bad exact outputs', async () => {
  const before = charged
  const leg = { token: weth, amount: '1' }
  const base = { chain_id: chainId, target_token: usdc, legs: [leg] }
  const bad: readonly unknown[] = [
    { ...base, legs: [] },
    { ...base, legs: Array.from({ length: 9 }, () => leg) },
    { ...base, legs: [leg, leg] },
    { ...base, legs: [{ token: weth }] },
    { ...base, legs: [{ token: weth, value_usd: 5 }] },
    { ...base, legs: [{ token: weth, value_usd: -5, max_amount: '1' }] },
    { ...base, legs: [{ token: weth, value_usd: '5', max_amount: '1' }] },
    { ...base, amount_haircut_bps: 10_001 },
    { ...base, routing_mode: 'fast' },
    {
      ...base,
      legs: [
        { token: '0x00000000000000000000000000000000000000cc', value_usd: 5, max_amount: '9' },
      ],
    },
    `{"chain_id":${chainId},"target_token":"${usdc}","legs":[{"token":"${weth}","value_usd":1e400,"max_amount":"1"}]}`,
  ]
  for (const body of bad) {
    const answer = await request('/quote_lp_disposal', body)
    assert.is(answer.status, 400, JSON.stringify(body))
  }
  for (const query of [
    '',
    '?chain_id=8453',
    `?chain_id=8453&token_in=${weth}&token_out=${usdc}&target_output=0&max_input=1`,
  ])
    assert.is((await request(`/quote_exact_output${query}`)).status, 400)
  for (const candidates of [[], Array.from({ length: 33 }, () => ({}))])
    assert.is((await request('/compare/simulate', { chainId, candidates })).status, 400)
  assert.is(charged, before)
})

s.run()
