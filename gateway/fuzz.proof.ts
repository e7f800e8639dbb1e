import { fuzzEndpoints } from '../fixtures/fuzzEndpoints.ts'
import { makeMalformed, sendMalformed } from '../fixtures/malformedRequests.ts'
import { byLength, reportFigures } from '../fixtures/proof.ts'
import { readOpenApi } from '../fixtures/readOpenApi.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startTestLab } from './lab/testing/testLab.ts'

/**
 * Every endpoint that the three services document, in a whole lab, under generated input: no 5xx that is
 * not documented, one sentence for each refusal, nothing charged for it. Then malformed requests over raw
 * sockets, to the operators' listener as well: no 5xx, nothing smuggled, nothing left open, no growth.
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

const rawRequests = byLength({ short: 1_000, long: 25_000 })
const readMetric = async (name: string) => {
  const text = await (await fetch(`${services.ops}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}
const readSize = async () => ({
  descriptors: await readMetric('process_open_fds'),
  residentMb: Math.round((await readMetric('process_resident_memory_bytes')) / 2 ** 20),
})
const targets = {
  routing: { get: '/openapi.json', post: '/quote' },
  meta: { get: '/openapi.json', post: '/quote' },
  relay: { get: '/openapi.json', post: '/api/proxy' },
  ops: { get: '/openapi.json', post: '/ops/login' },
} as const

for (const [name, target] of Object.entries(targets))
  s(
    `${name} answers malformed requests over raw sockets with no 5xx, and does not grow`,
    async () => {
      const { hostname: host, port } = new URL(services[name as keyof typeof targets])
      const address = { host, port: Number(port) }
      const send = (count: number, seed: number) =>
        sendMalformed(address, makeMalformed(target, { count, seed }))
      // What a process has at hand after the first thousands is what it goes on with.
      const first = await send(rawRequests / 4, 1)
      const before = await readSize()
      const rest = await send(rawRequests - rawRequests / 4, 2)
      const after = await readSize()
      reportFigures(`${name} of a whole lab under malformed requests over raw sockets`, {
        requests: first.requests + rest.requests,
        faults: first.faults.length + rest.faults.length,
        'MB before': before.residentMb,
        'MB after': after.residentMb,
        'descriptors more': after.descriptors - before.descriptors,
      })
      assert.equal([...first.faults, ...rest.faults].slice(0, 10), [])
      assert.ok(after.descriptors - before.descriptors < 20)
      assert.ok(after.residentMb - before.residentMb < 150)
    },
  )
s.run()
