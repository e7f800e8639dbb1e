import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'

const s = suite('http/endpoint')
const parts = {
  method: 'post',
  path: '/a',
  summary: 'A',
  input: Type.Object({ times: Type.Integer() }),
  output: Type.Object({}),
  auth: 'none',
  handle: async () => ({}),
} as const
const asked = (times: number) => ({ body: { times }, query: undefined })

s('weighs one and costs nothing where nothing is said [teeth/endpoint]', () => {
  const { weight, isCharged, units, costOf, extraWeightOf } = endpoint(parts)
  assert.equal([weight, isCharged, units], [1, false, 0])
  assert.equal([costOf(asked(9)), extraWeightOf(asked(9))], [0, 0])
})
s('weighs what it costs, and no more once it is read [teeth/endpoint]', () => {
  const { weight, isCharged, units, costOf, extraWeightOf } = endpoint({ ...parts, cost: 3 })
  assert.equal([weight, isCharged, units], [3, true, 3])
  assert.equal([costOf(asked(9)), extraWeightOf(asked(9))], [3, 0])
})
s('weighs the rest once what is asked tells its cost [teeth/endpoint]', () => {
  const cost = ({ body }: { body: { times: number } }) => body.times
  const { weight, isCharged, units, costOf, extraWeightOf } = endpoint({ ...parts, cost })
  assert.equal([weight, isCharged, units], [1, true, 1])
  assert.equal(
    [9, 1, 0].map((times) => costOf(asked(times))),
    [9, 1, 0],
  )
  assert.equal(
    [9, 1, 0].map((times) => extraWeightOf(asked(times))),
    [8, 0, 0],
  )
  const weighed = endpoint({ ...parts, cost, weight: 5 })
  assert.equal([weighed.weight, weighed.extraWeightOf(asked(9))], [5, 0])
})
s('checks what it has a schema for [teeth/endpoint]', () => {
  const { input: _, ...bare } = parts
  assert.equal(Object.keys(endpoint(bare).validate), [])
  const { validate } = endpoint({ ...parts, query: Type.Object({}), params: Type.Object({}) })
  assert.equal(Object.keys(validate), ['body', 'query', 'params'])
  assert.is(validate.body?.({ times: 1 }), undefined)
  assert.is(validate.body?.({ times: 'x' })?.status, 400)
})
s.run()
