import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'

/** Sentences and fields of the interfaces document about the routing service, by the test that proves them. */
type Proofs = Readonly<Record<string, readonly string[]>>

const proofs: Readonly<Record<string, Proofs>> = {
  'routing/quote.fork.test.ts': {
    'delivers exactly the output, for random pairs and amounts, native too': [
      'Finds the best swap route across many decentralized exchanges on chains 8453 and 42161',
      'Returns an output amount and, for executable routes, an execution payload for a wallet',
      'output: net output amount, raw',
      'execution.spender must receive the allowance, target is `to`, calldata the transaction data',
      'taker is the wallet that will submit',
    ],
  },
  'routing/routes.fork.test.ts': {
    'answers a quote with every field of the document': [
      'POST /quote is the best exact-input route; the response is the quote object',
      'Client-supplied extra fields such as amount_usd are ignored',
      'The service derives USD sizing internally',
      'dex: constant string naming the service',
      'router and calldata: compatibility fields',
      'execution.value: hex msg.value, always present for executable routes',
      'route_readiness: ready',
      'steps: per-hop route details; pool_grades: one for each hop',
      'slippage_bps: optional, default 50',
      'route_executable: true only when the payload is directly executable',
      'verify_block_lag: absent unless verify=true',
    ],
    'verifies by a dry run of the payload where it is asked to': [
      'route_readiness: verified',
      'verify_block_lag: blocks between cached state and verification, with verify=true',
    ],
    'says custody_invalid when the payload does not deliver to the taker': [
      'route_readiness: custody_invalid',
      'route_unexecutable_reason: machine-readable',
    ],
    'measures the tax of a fee-on-transfer token and delivers exactly the output': [
      'tax_in_bps, tax_out_bps: fee-on-transfer taxes; 0 for standard tokens',
    ],
    'quotes what the pools take of a giant amount with allow_partial, and 404 without': [
      'allow_partial: bool, default false',
      '404: no route found for the pair or amount',
    ],
    'wraps and unwraps without a pool': ['execution.value carries native input'],
    'compares candidates by what they deliver': [
      'POST /compare/simulate dry-runs execution candidates of several providers',
      'results in request order, providerId copied from the request',
      'status ok, simulation_failed; success only when the dry run succeeded',
      'actualOutput, accuracyDelta (signed), accuracyBps, error',
      'winnerProviderId: the highest actualOutput among successful simulations',
      'Candidate value: hex or decimal',
    ],
    'serves its registry': [
      'Token registry maps address to {chain_id, symbol, decimals}',
      'GET /api/chains returns live chain and DEX metadata',
      'Health: status, version, uptime_secs',
    ],
  },
  'routing/refusals.fork.test.ts': {
    'are one sentence with the field for every bad quote, and charge nothing': [
      'chain_id, token_in, token_out, amount_in are required; amount_in is a raw string',
      '400: invalid token address, unsupported chain_id, or other bad request',
      '404: no route found for the pair',
    ],
    'are one sentence with the field for every bad position': [
      'legs: 1 to 8 entries',
      'max_amount is required for every value-derived leg unless allow_unbounded_estimate=true',
      '400: unpriced token without amount, bad address, too many legs',
      'routing_mode: deep or ultra',
    ],
    'are one sentence with the field for every bad exact output': [
      'chain_id, token_in, token_out, target_output, max_input are required',
    ],
    'are one sentence with the field for every bad comparison': [
      'chainId and at least one candidate are required',
    ],
  },
  'routing/positions.fork.test.ts': {
    'solves an exact output for the least input, and its payload delivers it': [
      'GET /quote_exact_output: route minimizing input for a target output',
      'Exact output has the quote shape plus input_consumed',
      'source is SmartRouter:exact_output_via_exact_input',
      'Uses the exact-input calldata path at the solved input amount',
    ],
    'verifies an exact output where it is asked to': ['Exact output: verify, default false'],
    'answers an unreachable target with 200 and the reason': [
      'An unreachable target is HTTP 200 with route_executable=false and target_unreachable',
    ],
    'charges one unit for each leg that is routed, sixteen for an exact output': [
      'Exact output costs 16 quote quota units',
    ],
    'routes the legs of a position, each on what the legs before left': [
      "POST /quote_lp_disposal routes a position's tokens into one target token, sized by USD value",
      'One answered leg per request leg: token, value_usd, estimated_amount_in, amount_source',
      'passthrough: true when token equals target_token, no quote then',
      'capped: true if clamped to max_amount; omitted when false',
      'complete, failed_legs 0, total_estimated_output is the sum of the legs',
    ],
    'clamps to a bound below the haircut amount, also where the leg passes through': [
      'The route never consumes more than held',
    ],
    'reports a failed leg in place with allow_partial, and refuses the whole without': [
      'allow_partial: a failed leg is reported through its error field; complete is false then',
      '404: no route for a leg when allow_partial=false',
    ],
  },
  'routing/onChain.fork.test.ts': {
    'enforces the slippage at the wei: one more than is delivered reverts': [
      'slippage_bps bounds what the payload accepts',
    ],
    'counts no liquidity twice: the legs sent one by one deliver exactly the total': [
      'quote: the full quote of a leg, its payload executable',
    ],
    'sizes, clamps and prices legs in integers as the rules say': [
      'Value-derived amounts: floored, reduced by the haircut, then clamped to max_amount',
      'amount skips USD estimation and haircut; value_usd is ignored if amount is set',
      'amount_haircut_bps: default 50, downward, value-derived amounts only',
      'allow_unbounded_estimate waives the max_amount requirement',
    ],
    'verifies every leg by simulation in ultra mode': ['routing_mode ultra'],
    'says no_executor, without a payload, on a chain where none is deployed': [
      'Other non-executable states: no_executor',
    ],
  },
  'routing/routeLegs.fork.test.ts': {
    'runs a leg again on pools that an earlier one left otherwise than planned': [
      'total_estimated_output: sum of every leg, on what the legs before left',
    ],
    'prices all legs by fresh reads of their own pools when the state cannot be followed': [
      'source of a leg: path_hint',
    ],
    'reads the missing pools of all legs together, in at most four round trips': [
      'source of a leg: rpc',
    ],
  },
  'routing/usdPrices.fork.test.ts': {
    'takes a feed at its own decimals, with its age and the confidence that follows': [
      'Converted with cached USD-per-raw-unit price',
    ],
  },
  'routing/quoteSources.fork.test.ts': {
    'reads the pools of tokens asked for the first time in at most three round trips': [
      'source: rpc, and local afterwards',
    ],
    'reads only the pools of a known path when the state cannot be followed': ['source: path_hint'],
    'says stale, without a payload, when the node is gone': [
      'Other non-executable states: stale',
      'Health: degraded',
    ],
    'says unverified, without a payload, when the dry run that was asked for cannot be had': [
      'Other non-executable states: unverified',
    ],
  },
  'routing/gasModel.fork.test.ts': {
    'is within 10 % of the receipts of small and large, plain and split swaps': [
      'gas_estimate: estimated gas units',
    ],
  },
  'routing/gasFamilies.fork.test.ts': {
    'are within 10 % of receipts, pool by pool': ['gas_estimate holds on every family of pools'],
  },
  'routing/exactOutput.fork.test.ts': {
    'deliver at least their targets and spend exactly input_consumed, executed': [
      'The payload of an exact output delivers at least target_output',
    ],
  },
  'routing/unavailable.test.ts': {
    'answers 503 with Retry-After, and nothing is charged': [
      '503: service degraded (compare/simulate: RPC unavailable)',
    ],
    'says error when no chain can be quoted, and is no active agent then': ['Health: error'],
    'asks nobody for a key but those who want quotes or dry runs': [
      'GET /health, /api/tokens, /api/chains need no key',
      'Requests to quote endpoints carry the X-API-Key header',
    ],
  },
  'routing/measureRoute.test.ts': {
    'describes paths with their pools and parts': ['route_path: human-readable'],
    'measures impact against the mid prices along the route, fees counted': [
      'price_impact_bps: price impact in basis points',
    ],
  },
  'routing/gradePool.test.ts': {
    'walks from A to F with what the hop costs in its pool': ['pool_grades: A to F'],
  },
  'routing/solveInput.test.ts': {
    'solves to the wei on single paths and within 1 bps of the least on splits': [
      'Bounded internal probes',
    ],
  },
  'routing/sync/chainSync.fork.test.ts': {
    'catches up over many blocks at once': ['last_sync_block: latest synced block number'],
    'follows by itself, and confirms the head of an idle chain: lag is no block age': [
      'sync_lag_ms: milliseconds since last sync',
    ],
  },
  'routing/documents.fork.test.ts': {
    'hold an agent registration of ERC-8004 with what the operator configured': [
      'GET /.well-known/agent-registration.json: agent metadata discovery document',
    ],
  },
  '../simulator/simulator.fork.test.ts': {
    'sells and buys the native currency to the wei': [
      "Native input is simulated with each candidate's own msg.value",
    ],
  },
  '../simulator/funding.fork.test.ts': {
    'lets a whale pay where no storage word shows as the balance': [
      'ERC20 simulation depends on balance-slot discovery and state overrides',
    ],
  },
  'access/access.test.ts': {
    'answers pricing to the letter': [
      'GET /auth/pricing: x402_version 2, unit_price_usd 0.0001, unit_price_usdc_6dec 100, contracts',
      'Pricing contract entry: chain_id, network eip155:<chain_id>, quota_contract, payment_token, amount_per_quote',
    ],
    'answers 402 with a PAYMENT-REQUIRED header that never offers what nobody settles': [
      'Exhausted quota gives 402 with a payment-required header',
    ],
    'lets 40 parallel requests on a quota of 10 give exactly 10 answers': [
      'Access is quota-based: each API key holds a quote quota',
    ],
    'charges nothing for a refusal, and says what is left': ['A refused request costs nothing'],
  },
  'access/refusals.test.ts': {
    'answers 401 alike for a missing, unknown, mistyped and revoked key': [
      'Missing or invalid API key gives 401',
    ],
    'tells the state of both limits on every keyed answer, errors included': [
      'Rate-limit response headers: x-ratelimit-limit, x-ratelimit-remaining',
      '429: rate limit exceeded',
    ],
    'weighs an endpoint of 16 units as 16 in the limit and in the quota': [
      'Exact output costs 16 rate-limit units',
    ],
  },
  'access/claimQuota.fork.test.ts': {
    'credits buyWithUSDC on ${chain.client.chainId}, and the same claim again credits nothing': [
      'Quota is bought by sending USDC on-chain and claimed with the transaction hash',
      'Claim response: purchased_quotes, quota_total, quota_used, quota_remaining',
    ],
  },
  'http/service.test.ts': {
    'answers 429 with Retry-After in header and body': ['429: rate limit exceeded'],
  },
}

const s = suite('interfaces document, routing service')
const gateway = join(import.meta.dirname, '..')
const quoteText = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

for (const [file, tests] of Object.entries(proofs))
  s(`${file} has the tests that are named`, () => {
    const text = readFileSync(join(gateway, file), 'utf8')
    for (const [name, sentences] of Object.entries(tests)) {
      // As the name of a suite's test, with what a loop puts before it.
      const named = new RegExp(
        `['"\`](\\$\\{\\w+\\}: )?${quoteText(name)}(, on \\$\\{.*\\}|: \\$\\{.*\\})?['"\`],\\n?`,
      )
      assert.match(text, named, `${file} has no such test: ${name}`)
      assert.ok(sentences.length > 0, name)
    }
  })

s.run()
