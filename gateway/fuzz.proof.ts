import { fuzzEndpoints } from '../fixtures/fuzzEndpoints.ts'
import { byLength, reportFigures } from '../fixtures/proof.ts'
import { readOpenApi } from '../fixtures/readOpenApi.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startTestLab } from './lab/testing/testLab.ts'

/**
 * Every endpoint that the three services document, in a whole lab, under generated input: no 5xx that is
 * not documented, one sentence for each refusal, nothing charged for it.
 * More or fewer requests per endpoint: `node gateway/fuzz.proof.ts 100000`.
 */
const requestsPerEndpoint = Number(process.argv[2] ?? byLength({ short: 2_000, long: 10_000 }))
const s = suite('fuzz')
const lab = await startTestLab({ RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' })
s.after(() => lab.down())
const { services, apiKey, chains } = lab.manifest()
const [base] = Object.values(chains)
const tokens = Object.values(base?.tokens ?? {}).map(({ address }) => address)
const amounts = ['1000', '1000000', '1000000000000000']
const known = {
  address: tokens,
  chain_id: [8453],
  chainId: [8453],
  amountIn: amounts,
  amount_in: amounts,
  inputAmount: amounts,
  target_output: amounts,
  max_input: ['1000000000000000000000000'],
  owner: (base?.accounts ?? []).map(({ address }) => address),
  quoteType: ['exactInput'],
  keepAliveMs: [1000],
  refreshIntervalMs: [60_000],
}
const headers = { 'x-api-key': apiKey }
const readUsed = async () => {
  const response = await fetch(`${services.routing}/auth/key-info`, { headers })
  return Number(((await response.json()) as { quota_used: number }).quota_used)
}

for (const name of ['routing', 'meta', 'relay'] as const)
  s(
    `${name} answers every generated request as documented and charges nothing for a 400`,
    async () => {
      const url = services[name]
      const endpoints = await readOpenApi(url)
      const report = await fuzzEndpoints({
        url,
        endpoints,
        apiKey,
        known,
        requestsPerEndpoint,
        ...(name === 'routing' && { readUsed }),
      })
      process.stdout.write(`${JSON.stringify(report.statuses, null, 1)}\n`)
      reportFigures(`${name} of a whole lab under generated requests`, {
        endpoints: endpoints.length,
        'requests each': requestsPerEndpoint,
        faults: report.faults.length,
      })
      assert.equal(report.faults.slice(0, 10), [])
    },
  )
s.run()
