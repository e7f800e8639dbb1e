import { makeRequest } from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createRoutingSource, type RoutingOutcome } from './routing.ts'

const s = suite('meta/sources/routing')

async function reasonOf(answer: RoutingOutcome) {
  const context = { signal: new AbortController().signal, onRetry: () => undefined }
  const outcome = await createRoutingSource({ quote: async () => answer }).quote(
    makeRequest(),
    context,
  )
  return outcome.status === 'failure' ? [outcome.reason, outcome.detail] : outcome.status
}

s('tells what pools did from what the service does [strangers/circuit-pools]', async () => {
  const unavailable = { status: 'unavailable', reason: 'too slow' } as const
  assert.equal(await reasonOf(unavailable), ['upstream_error', 'too slow'])
  assert.equal(await reasonOf({ ...unavailable, byItsPools: true }), ['no_route', 'too slow'])
})
s.run()
