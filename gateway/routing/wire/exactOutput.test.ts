import { zeroAddress } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape } from '../../http/validate.ts'
import { plainQuote, pool } from '../testing/plainQuote.ts'
import { exactOutputResponse, fromExactOutput, toExactOutput } from './exactOutput.ts'
import { fromQuote } from './quote.ts'

const s = suite('routing/wire/exactOutput')
const [token, other] = [
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  '0x4200000000000000000000000000000000000006',
] as const
const query = {
  chain_id: 8453,
  token_in: token.toLowerCase(),
  token_out: other,
  target_output: '70',
  max_input: '80',
  slippage_bps: 30,
  executable_only: true,
  verify: false,
} as unknown as Parameters<typeof toExactOutput>[0]

s('reads what is to be had and what may be spent for it', () => {
  const asked = {
    chainId: 8453,
    tokenIn: token,
    tokenOut: other,
    targetOutput: 70n,
    maxInput: 80n,
    slippageBps: 30,
    executableOnly: true,
    verify: false,
    taker: undefined,
  }
  assert.equal(toExactOutput(query), asked)
  assert.equal(toExactOutput({ ...query, taker: zeroAddress }), asked)
  const taken = toExactOutput({ ...query, taker: pool, max_hops: 2, include_dexes: 'a,b' })
  assert.equal(
    [taken.taker, taken.options?.maxHops, taken.options?.includeDexes],
    [pool, 2, ['a', 'b']],
  )
})
s('always says what the payload spends, and by which way it was found', () => {
  const options = { serviceName: 'test' }
  const answer = fromExactOutput(plainQuote, options)
  assert.is(checkShape(exactOutputResponse, answer), undefined)
  assert.equal(answer, {
    ...fromQuote(plainQuote, options),
    source: 'SmartRouter:exact_output_via_exact_input',
    input_consumed: '100',
  })
})
s.run()
