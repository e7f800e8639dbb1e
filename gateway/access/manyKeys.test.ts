import { Type } from 'typebox'
import {
  settlePayer as address,
  openSettlements,
  settleChainId,
  settleStartMs,
  signPayment,
} from '../../fixtures/access/simSettlements.ts'
import { createInject } from '../../fixtures/inject.ts'
import { startRedis } from '../../fixtures/store/redis.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from '../http/endpoint.ts'
import { createService } from '../http/service.ts'
import { createAccess } from './access.ts'
import { createKey } from './issueKeys.ts'
import { openSharedBuckets, type SharedBuckets } from './limits/sharedBuckets.ts'
import { encodeHeader } from './sale/paymentRequired.ts'
import { createChallenge } from './siweChallenge.ts'
import { accessEndpoints } from './wire/routes.ts'

/** One address with a new key for each request: they are free, and none has asked before. */
const s = suite('access/manyKeys')
const work = endpoint({
  method: 'post',
  path: '/work',
  summary: 'Something that costs',
  output: Type.Object({}),
  auth: 'key',
  cost: 1,
  handle: async () => ({}),
})
// A payment that no chain would take.
const paymentPayload = signPayment({ validBefore: '1' })
const claim = { chain_id: settleChainId, tx_hash: `0x${'ab'.repeat(32)}` }

function open(buckets?: SharedBuckets) {
  const { deps: given } = openSettlements(() => settleStartMs)
  const limits = {
    keyLimit: { unitsPerSec: 1, burst: 10 },
    ipLimit: { unitsPerSec: 1 / 3_600, burst: 10 },
    isLoopbackLimited: true,
  }
  const publicUrl = 'https://api.example'
  const deps = { ...given, buckets, config: { ...given.config, ...limits, publicUrl } }
  const service = createService({
    name: 'routing',
    endpoints: [...accessEndpoints(deps), work],
    access: createAccess(deps),
    log: deps.log,
    checkOutput: true,
  })
  const inject = createInject(service.app)
  return {
    deps,
    async ask(path: string, body: object, more: Readonly<Record<string, string>> = {}) {
      const { apiKey } = await createKey(deps, { label: 'new' })
      const headers = { 'x-api-key': apiKey, ...more }
      return (await inject({ method: 'POST', path, headers, body: JSON.stringify(body) })).status
    },
  }
}

const thrice = async (ask: () => Promise<number>) => [await ask(), await ask(), await ask()]

s(
  'works the nodes no more than one key would with its claims [attack/keys-of-address]',
  async () => {
    const { ask } = open()
    assert.equal(await thrice(() => ask('/auth/quota/claim', claim)), [404, 404, 429])
  },
)
s('nor with signatures for a key that it does not have [attack/register-weight]', async () => {
  const { ask, deps } = open()
  const { nonce } = await createChallenge(deps, { address, chainId: settleChainId })
  const signature = `0x${'8010'.repeat(32)}`
  const register = () => ask('/auth/register', { address, nonce, signature })
  assert.equal(await thrice(register), [400, 400, 429])
})
/** Wherever they stand, and whoever counts them. */
async function askPayments(buckets?: SharedBuckets) {
  const { ask } = open(buckets)
  const body = { x402Version: 2, paymentPayload }
  const headers = { 'payment-signature': encodeHeader(paymentPayload) }
  assert.is(await ask('/x402/settle', body), 402)
  assert.is(await ask('/work', {}, headers), 402)
  assert.is(await ask('/x402/settle', body), 429)
  assert.is(await ask('/work', {}, headers), 429)
  // Who brings none is told where to pay, as ever.
  assert.equal(await thrice(() => ask('/work', {})), [402, 402, 402])
}
s('nor with its payments, wherever they stand [attack/keys-of-address-pay]', () => askPayments())
const redis = await startRedis()
if (redis)
  s('nor where gateways count in one Redis [attack/keys-of-address-redis]', async () => {
    const buckets = await openSharedBuckets({
      url: redis.url,
      answerWithinMs: 10_000,
      observe: () => undefined,
    })
    try {
      await askPayments(buckets)
    } finally {
      await buckets.close()
      await redis.close()
    }
  })
s.run()
