import type { Static } from 'typebox'
import { getAddress, zeroAddress } from 'viem'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { getDexes } from '../../chain/chains.ts'
import { startRoutingStand } from '../testing/routingStand.ts'
import type { compareResponse } from './compare.ts'
import type { poolResponse } from './pool.ts'
import type { QuoteResponse } from './quote.ts'
import type { chainsResponse, healthResponse, tokensResponse } from './registry.ts'
import type { statusResponse } from './status.ts'

const stand = await startRoutingStand()
const { chainId, manifest, account, token, execute } = stand
const s = suite('routing service')
s.after(() => stand.close())

const [weth, usdc, tax] = [token('WETH'), token('USDC'), token('TAX')]
const oneEth = '1000000000000000000'
const base = { chain_id: chainId, token_in: weth, token_out: usdc, amount_in: oneEth }
const quote = (body: object = {}) => stand.get<QuoteResponse>('/quote', { ...base, ...body })
function executionOf({ execution }: QuoteResponse) {
  if (!execution) throw new Error('there is a payload')
  return execution
}

s('answers a quote with every field of the document [routing/quote-fields]', async () => {
  const body = await quote({ amount_usd: 'ignored' })
  const execution = executionOf(body)
  assert.is(body.dex, 'forkyard-test')
  assert.is(body.source, 'local')
  assert.is(body.route_readiness, 'ready')
  assert.is(body.route_executable, true)
  assert.is(body.router, execution.target)
  assert.is(body.calldata, execution.calldata)
  assert.is(execution.spender, manifest.executor)
  assert.is(execution.value, '0x0')
  assert.is(body.pool_grades.length, body.steps.length)
  assert.is(body.verify_block_lag, undefined)
  assert.equal([body.tax_in_bps, body.tax_out_bps], [0, 0])
  assert.ok(BigInt(body.gas_estimate) > 100_000n)
  assert.match(body.route_path, /WETH>\[.+:\d+\]>/)
  assert.is(BigInt(body.min_output), (BigInt(body.output) * 9_950n) / 10_000n)
})

s('verifies by a dry run of the payload where it is asked to [routing/verify]', async () => {
  const body = await quote({ verify: true })
  assert.is(body.route_readiness, 'verified')
  assert.is(body.verified_output, body.output)
  assert.is(body.deviation_bps, 0)
  assert.type(body.verify_block_lag, 'number')
})

s(
  'says custody_invalid when the payload does not deliver to the taker [routing/custody-invalid]',
  async () => {
    // The executor refuses to pay itself.
    const body = await quote({ verify: true, taker: manifest.executor })
    assert.is(body.route_readiness, 'custody_invalid')
    assert.is(body.route_executable, false)
    assert.is(body.route_unexecutable_reason, 'dry_run_failed')
    assert.is(body.execution, undefined)
  },
)

s(
  'measures the tax of a fee-on-transfer token and delivers exactly the output [routing/tax]',
  async () => {
    await stand.approve([tax, weth])
    for (const [token_in, token_out, field] of [
      [tax, usdc, 'tax_in_bps'],
      [weth, tax, 'tax_out_bps'],
    ] as const) {
      const quoted = await quote({ token_in, token_out, taker: account })
      assert.is(quoted[field], 100)
      assert.is(await execute(executionOf(quoted), token_out), BigInt(quoted.output), field)
    }
  },
)

s('prices a tax that its token takes on later, within minutes [routing/tax-later]', async () => {
  const rpc = createRpc(stand.world.rpcUrl)
  const asked = { token_in: tax, token_out: usdc, amount_in: oneEth }
  const before = await quote(asked)
  const code = String(await rpc('eth_getCode', tax, 'latest'))
  const change = async (to: string) => {
    await rpc('anvil_setCode', tax, to)
    await rpc('evm_mine')
  }
  const seesTax = async (bps: number) => {
    stand.passTime(300_000)
    await waitFor(`a tax of ${bps} bps`, async () => (await quote(asked)).tax_in_bps === bps)
  }
  // The rate is a constant of its code: 100 is 200 now.
  await change(code.replaceAll('6064', '60c8'))
  assert.is((await quote(asked)).tax_in_bps, 100)
  await seesTax(200)
  assert.ok(BigInt((await quote(asked)).output) < BigInt(before.output))
  await change(code)
  await seesTax(100)
})

s(
  'quotes what the pools take of a giant amount with allow_partial, and 404 without [routing/partial]',
  async () => {
    const giant = { token_out: token('BRETT'), amount_in: `1${'0'.repeat(60)}` }
    const refused = await stand.refusalOf('/quote', { ...base, ...giant })
    assert.equal([refused.status, refused.error], [404, 'no executable route found'])
    const partial = await quote({ ...giant, allow_partial: true })
    assert.ok(BigInt(partial.input_consumed ?? giant.amount_in) < BigInt(giant.amount_in))
  },
)

s('wraps and unwraps without a pool [routing/wrap]', async () => {
  const body = await quote({ token_in: zeroAddress, token_out: weth, verify: true })
  assert.is(body.output, oneEth)
  assert.is(body.route_readiness, 'verified')
  assert.is(executionOf(body).value, '0xde0b6b3a7640000')
  assert.is(body.steps.length, 0)
})

s('compares candidates by what they deliver [routing/compare]', async () => {
  const small = executionOf(await quote({ amount_in: '1000000000000' }))
  const good = await quote()
  const { target, calldata, spender } = executionOf(good)
  const readFork = async () => (await stand.get<Static<typeof healthResponse>>('/health')).forks[0]
  const before = await readFork()
  const candidate = { inputToken: weth, outputToken: usdc, inputAmount: oneEth, value: '0' }
  const body = await stand.get<Static<typeof compareResponse>>('/compare/simulate', {
    chainId,
    candidates: [
      {
        ...candidate,
        providerId: 'worse',
        target,
        approveTarget: spender,
        value: '0x0',
        data: small.calldata,
        inputAmount: '1000000000000',
        quotedOutput: '1',
      },
      {
        ...candidate,
        providerId: 'better',
        target,
        approveTarget: spender,
        data: calldata,
        quotedOutput: good.output,
      },
      {
        ...candidate,
        providerId: 'broken',
        target: usdc,
        approveTarget: spender,
        data: '0x12345678',
        quotedOutput: '1',
      },
      {
        ...candidate,
        providerId: 'boastful',
        target,
        approveTarget: spender,
        data: calldata,
        quotedOutput: (BigInt(good.output) * 2n).toString(),
      },
    ],
  })
  assert.is(body.winnerProviderId, 'better')
  const [worse, better, broken, boastful] = body.results
  assert.is(worse?.providerId, 'worse')
  assert.is(better?.accuracyDelta, '0')
  assert.is(better?.accuracyBps, 10_000)
  assert.is(better?.actualOutput, good.output)
  assert.is(better?.quotedOutput, good.output)
  // More than was quoted, and less.
  assert.is(BigInt(worse?.accuracyDelta ?? 0), BigInt(worse?.actualOutput ?? 0) - 1n)
  assert.is(boastful?.accuracyDelta, `-${good.output}`)
  assert.is(boastful?.accuracyBps, 5_000)
  assert.ok(BigInt(better?.gas_used ?? 0) > 50_000n)
  const after = await readFork()
  assert.equal([after?.chain_id, after?.ready], [chainId, true])
  // The fork may be rolled at any moment.
  const blockOf = (fork: typeof after) => fork?.block_number ?? Number.NaN
  assert.ok(blockOf(before) <= body.block_number && body.block_number <= blockOf(after))
  assert.ok((after?.age_ms ?? -1) >= 0)
  assert.is(broken?.status, 'simulation_failed')
  assert.is(broken?.success, false)
  assert.type(broken?.error, 'string')
})

s('answers amounts up to 2^256 - 1 without a failure of its own', async () => {
  for (const amount_in of [2n ** 256n - 1n, 2n ** 255n, 2n ** 200n].map(String)) {
    const sizes = { ...base, amount_in }
    assert.is((await stand.refusalOf('/quote', sizes)).status, 404)
    for (const token_out of [usdc, token('BRETT'), tax, token('REBASE')]) {
      const partial = await quote({ token_out, amount_in, allow_partial: true })
      assert.ok(BigInt(partial.output) > 0n)
      assert.ok(BigInt(partial.input_consumed ?? amount_in) <= BigInt(amount_in))
    }
    const legs = [{ token: weth, amount: amount_in, max_amount: amount_in }]
    const disposal = { chain_id: chainId, target_token: usdc, legs }
    assert.is((await stand.refusalOf('/quote_lp_disposal', disposal)).status, 404)
    const [target, whole] = ['1000000', `target_output=1000000&max_input=${amount_in}`]
    const pair = `chain_id=${chainId}&token_in=${weth}&token_out=${usdc}`
    const solved = await stand.get<QuoteResponse>(`/quote_exact_output?${pair}&${whole}`)
    assert.ok(BigInt(solved.output) >= BigInt(target))
    const beyond = `target_output=${amount_in}&max_input=${amount_in}`
    const missed = await stand.get<QuoteResponse>(`/quote_exact_output?${pair}&${beyond}`)
    assert.is(missed.route_readiness, 'target_unreachable')
  }
})

s('serves its registry [routing/registry]', async () => {
  const { status, version, uptime_secs } = await stand.get<Static<typeof healthResponse>>('/health')
  assert.equal([status, version], ['ok', '1.2.3'])
  assert.ok(Number.isInteger(uptime_secs) && uptime_secs >= 0)
  const tokens = await stand.get<Static<typeof tokensResponse>>('/api/tokens')
  assert.equal(tokens[getAddress(usdc)], { chain_id: chainId, symbol: 'USDC', decimals: 6 })
  const [entry] = await stand.get<Static<typeof chainsResponse>>('/api/chains')
  assert.is(entry?.chain_id, chainId)
  const swapped = entry?.dexes.find(({ name }) => name === 'uniswap-v3')
  assert.ok((swapped?.pool_count ?? 0) > 0 && swapped?.protocol === 'uniswap_v3')
  assert.equal([entry?.name !== '', entry?.dex_count], [true, entry?.dexes.length])
  assert.ok((entry?.last_sync_block ?? 0) > 0 && (entry?.sync_lag_ms ?? -1) >= 0)
  const names = getDexes(chainId).map(({ name }) => name)
  const followed = manifest.pools.filter(({ dex }) => names.includes(dex))
  assert.is(entry?.pool_count, followed.length)
  assert.is(entry?.executor, manifest.executor)
  const given = [weth, usdc].map((token) => entry?.tokens.includes(getAddress(token)))
  assert.equal(given, [true, true])
  const path = `/api/pool/${chainId}/${manifest.pools[0]?.address}`
  const pool = await stand.get<Static<typeof poolResponse>>(path)
  assert.is(pool.address, manifest.pools[0]?.address)
  assert.is((await stand.refusalOf(`/api/pool/${chainId}/${zeroAddress}`)).status, 404)
  const { chains } = await stand.get<Static<typeof statusResponse>>('/api/status')
  assert.is(chains[0]?.simulator_ready, true)
  const coverage = chains[0]?.coverage ?? []
  assert.equal(
    coverage.map(({ dex }) => dex),
    names,
  )
  assert.is(
    coverage.reduce((sum, { loaded }) => sum + loaded, 0),
    followed.length,
  )
  for (const { known, loaded, refused } of coverage)
    assert.is(known, loaded + refused.reduce((sum, { pools }) => sum + pools, 0))
})

const listPools = () =>
  Promise.all(
    ['uniswap-v2', 'uniswap-v3'].map((dex) => {
      const found = manifest.pools.find((each) => each.dex === dex)
      return stand.get<Static<typeof poolResponse>>(`/api/pool/${chainId}/${found?.address}`)
    }),
  )

s('says what clients of the live service read [20/live-client]', async () => {
  const health = await stand.get<Static<typeof healthResponse>>('/health')
  const { pools, quotes } = health
  const [synced] = health.syncs
  assert.is(pools.total, synced?.pools)
  assert.ok(
    Math.min(pools.v2, pools.v3, pools.v4) > 0 && pools.v2 + pools.v3 + pools.v4 < pools.total,
  )
  assert.is(health.sync.max_lag_ms, synced?.sync_lag_ms)
  assert.ok(health.system.rss_mb > 50)
  assert.equal([quotes.semaphore_available, quotes.semaphore_waiting], [quotes.semaphore_total, 0])
  const [pair, range] = await listPools()
  assert.equal(
    [pair?.found_in, pair?.v2],
    [
      ['v2'],
      {
        token0: pair?.token0,
        token1: pair?.token1,
        reserve0: pair?.reserve0,
        reserve1: pair?.reserve1,
        dex: pair?.dex,
      },
    ],
  )
  assert.equal([range?.v3?.tick_count, range?.v3?.fee], [range?.ticks?.length, range?.fee_pips])
  assert.equal(range?.found_in, ['v3'])
  assert.match(range?.grade ?? '', /^[A-F]$/)
})

s.run()
