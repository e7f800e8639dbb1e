import { assert, suite } from '../../fixtures/test.ts'
import { errorBody, toHttpError } from './handleErrors.ts'
import { httpError } from './httpError.ts'
import { tooManyRequests } from './tooManyRequests.ts'

const s = suite('http/handleErrors')
const ids = { requestId: 'r', requestIdField: 'requestId' } as const

s('writes what an error has, and no field over nothing [teeth/error-body]', () => {
  const plain = { error: 'no', code: 'invalid_request', requestId: 'r' }
  assert.equal(errorBody(httpError('invalidRequest', 'no'), ids), plain)
  const details = [{ field: 'a', reason: 'no' }]
  const detailed = httpError('invalidRequest', 'no', { details, extra: { more: 1 } })
  assert.equal(errorBody(detailed, ids), { ...plain, details, more: 1 })
  const byOther = errorBody(detailed, { requestId: 'r', requestIdField: 'request_id' })
  assert.equal(Object.keys(byOther), ['error', 'code', 'request_id', 'details', 'more'])
})
s('says when the next request is answered, in one of two sentences [teeth/error-body]', () => {
  const plain = tooManyRequests(7)
  assert.is(plain.message, 'too many requests; the next one is answered in 7 s')
  assert.equal([plain.status, plain.headers], [429, { 'retry-after': '7' }])
  assert.is(errorBody(plain, ids)['retryAfterSec'], 7)
  const own = tooManyRequests(7, 'come again', { limit: '1' })
  assert.equal([own.message, own.headers], ['come again', { limit: '1', 'retry-after': '7' }])
})
s('tells an outage from a mistake, and neither by its text [teeth/error-body]', () => {
  const cause = new Error('secret')
  const known = httpError('notFound')
  assert.is(toHttpError(known, { isOutage: () => true }), known)
  const [mistake, outage] = [toHttpError(cause), toHttpError(cause, { isOutage: () => true })]
  assert.equal([mistake.status, outage.status], [500, 503])
  assert.equal([mistake.headers, outage.headers], [{}, { 'retry-after': '1' }])
  for (const { message, cause: kept } of [mistake, outage])
    assert.equal([/secret/.test(message), kept], [false, cause])
})
s.run()
