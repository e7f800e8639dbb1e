import { assert, suite } from '../../fixtures/test.ts'
import { type ErrorName, HttpError, httpError } from './httpError.ts'

const s = suite('http error')

s('answers each refusal with the status that clients branch on [teeth/statuses]', () => {
  const statuses: Readonly<Record<ErrorName, number>> = {
    invalidRequest: 400,
    invalidJson: 400,
    invalidPayment: 400,
    unauthorized: 401,
    paymentRequired: 402,
    forbidden: 403,
    unknownTransaction: 404,
    notFound: 404,
    noRoute: 404,
    methodNotAllowed: 405,
    requestTimeout: 408,
    conflict: 409,
    bodyTooLarge: 413,
    unsupportedMediaType: 415,
    unsupportedEncoding: 415,
    rateLimited: 429,
    headersTooLarge: 431,
    internal: 500,
    chainUnreachable: 502,
    unavailable: 503,
  }
  for (const [name, status] of Object.entries(statuses)) {
    const error = httpError(name as ErrorName)
    assert.equal([name, error.status], [name, status])
    assert.match(error.code, /^[a-z_]+$/)
  }
})
s('carries a more precise sentence, and what else a caller may read [teeth/statuses]', () => {
  const cause = new Error('inside')
  const details = [{ field: 'a', reason: 'b' }]
  const error = httpError('conflict', 'so', {
    details,
    headers: { a: 'b' },
    extra: { c: 1 },
    cause,
  })
  assert.equal([error.message, error.details, error.headers], ['so', details, { a: 'b' }])
  assert.equal([error.extra, error.cause], [{ c: 1 }, cause])
  const plain = httpError('noRoute')
  assert.equal([plain.message, plain.headers, plain.extra], ['no executable route found', {}, {}])
  assert.equal([plain.details, 'cause' in plain], [undefined, false])
  assert.is(plain.code, 'no_route')
})
s("is the question's own below 500, and above where it says so [teeth/of-question]", () => {
  const isOfQuestion = (status: number, options?: { isOfQuestion: boolean }) =>
    new HttpError(status, 'a', 'b', options).isOfQuestion
  assert.equal(
    [400, 499, 500, 502].map((status) => isOfQuestion(status)),
    [true, true, false, false],
  )
  assert.is(isOfQuestion(502, { isOfQuestion: true }), true)
  assert.is(isOfQuestion(404, { isOfQuestion: false }), false)
})
s.run()
