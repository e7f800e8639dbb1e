import { assert, suite } from '../../fixtures/test.ts'
import type { Access, Charge, ChargeRequest, RateLimitState } from './access.ts'
import { httpError } from './httpError.ts'
import { reply } from './reply.ts'
import { createSpendMore } from './spendMore.ts'

const s = suite('http/spendMore')
const caller = { keyId: 'k', scopes: [] }
const trail = { units: 1 }
const from = { ip: '1.2.3.4', requestId: 'r', method: 'POST', path: '/quote', trail }
const state = (allowed: boolean): RateLimitState => ({
  allowed,
  limit: 9,
  remaining: 0,
  resetSecs: 1,
  retryAfterSecs: 7,
})

/** What is asked of an access that limits and charges like this. */
function open({ limited, charge }: { limited?: RateLimitState; charge?: Partial<Charge> }) {
  const weighed: unknown[] = []
  const charged: ChargeRequest[] = []
  const concluded: unknown[] = []
  const access: Access = {
    identify: async () => caller,
    limit: async (request) => {
      weighed.push(request)
      return limited
    },
    charge: async (request) => {
      charged.push(request)
      const conclude = async (answer: unknown) => void concluded.push(answer)
      return { status: 'charged', headers: {}, conclude, ...charge } as Charge
    },
  }
  return { access, weighed, charged, concluded }
}

s(
  'takes of the limit, then of the quota, each time under a reference of its own [teeth/spend-more]',
  async () => {
    const { access, weighed, charged, concluded } = open({ limited: state(true) })
    const spend = createSpendMore(access, { ...from, caller })
    assert.equal([await spend(3), await spend(5)], [undefined, undefined])
    assert.equal(weighed, [
      { caller, ip: '1.2.3.4', weight: 3 },
      { caller, ip: '1.2.3.4', weight: 5 },
    ])
    const { ip, method, path } = from
    const plain = { caller, ip, method, path, search: '', headers: {}, rawBody: '' }
    assert.equal(charged, [
      { ...plain, cost: 3, requestId: 'r:1' },
      { ...plain, cost: 5, requestId: 'r:2' },
    ])
    assert.equal(concluded, Array(2).fill({ status: 200, body: '' }))
    assert.is(trail.units, 9)
  },
)
s(
  'charges nothing where the limit is reached, and says when to come again [teeth/spend-more]',
  async () => {
    const { access, charged } = open({ limited: state(false) })
    const refused = await createSpendMore(access, { ...from, caller })(1)
    assert.equal([refused?.status, refused?.headers], [429, { 'retry-after': '7' }])
    assert.equal([charged, trail.units], [[], 9])
  },
)
s(
  'charges nobody without a key, and where no limit applies goes on [teeth/spend-more]',
  async () => {
    const { access, weighed, charged } = open({})
    assert.is(await createSpendMore(access, { ...from, caller: undefined })(1), undefined)
    assert.equal([weighed.length, charged.length], [1, 0])
    assert.is(await createSpendMore(access, { ...from, caller })(1), undefined)
    assert.is(charged.length, 1)
    assert.is(await createSpendMore(undefined, { ...from, caller })(1), undefined)
  },
)
s('hands on why nothing was charged, and concludes only what was [teeth/spend-more]', async () => {
  const error = httpError('paymentRequired', 'no quota')
  const refusing = open({ charge: { status: 'refused', error } })
  assert.is(await createSpendMore(refusing.access, { ...from, caller })(1), error)
  const replaying = open({ charge: { status: 'replayed', reply: reply({ body: '' }) } })
  assert.is(await createSpendMore(replaying.access, { ...from, caller })(1), undefined)
  assert.equal([refusing.concluded, replaying.concluded], [[], []])
})
s.run()
