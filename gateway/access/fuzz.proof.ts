import { startAccessStand } from '../../fixtures/accessStand.ts'
import { fuzzEndpoints } from '../../fixtures/fuzzEndpoints.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { accessEndpoints } from './routes.ts'

/** 100,000 requests per endpoint by default: `node gateway/access/fuzz.proof.ts 1000` for fewer. */
const requestsPerEndpoint = Number(process.argv[2] ?? 100_000)
const s = suite('access/fuzz')
const stand = await startAccessStand({ chainIds: [8453], isSettling: true })
s.after(() => stand.close())

s(
  'answers every generated request with a documented status and charges nothing for a refusal',
  async () => {
    const { id, apiKey } = await stand.createKey('fuzz', 1_000_000)
    const report = await fuzzEndpoints({
      url: stand.url,
      endpoints: accessEndpoints(stand.deps),
      apiKey,
      readUsed: async () => (await stand.store.ledger.balance(id)).used,
      requestsPerEndpoint,
    })
    process.stdout.write(`${JSON.stringify(report.statuses, null, 2)}\n`)
    assert.equal(report.faults.slice(0, 5), [])
  },
)
s.run()
