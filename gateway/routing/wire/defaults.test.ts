import { assert, suite } from '../../../fixtures/test.ts'
import { createValidate } from '../../http/validate.ts'
import { exactOutputQuery, toExactOutput } from './exactOutput.ts'
import { type DisposalBody, disposalBody, toDisposal } from './lpDisposal.ts'

/** What holds where a caller says nothing. */
const s = suite('defaults on the wire')
const token = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const other = '0x4200000000000000000000000000000000000006'

s('of an exact output: 50 bps, executable only, no dry run [routing/exact-defaults]', () => {
  const said = (change: object) => {
    const query: Record<string, unknown> = {
      chain_id: '8453',
      token_in: token,
      token_out: other,
      target_output: '1',
      max_input: '2',
      ...change,
    }
    assert.is(createValidate(exactOutputQuery([8453]), 'query')(query), undefined)
    const parameters = toExactOutput(query as Parameters<typeof toExactOutput>[0])
    return [parameters.slippageBps, parameters.executableOnly, parameters.verify]
  }
  assert.equal(said({}), [50, true, false])
  assert.equal(said({ slippage_bps: '7', executable_only: 'false', verify: 'true' }), [
    7,
    false,
    true,
  ])
})

s(
  'of a disposal: 50 bps of slippage and of haircut, deep, whole and bounded [routing/disposal-defaults]',
  () => {
    const body: Record<string, unknown> = {
      chain_id: 8453,
      target_token: other,
      legs: [{ token, amount: '5', max_amount: '3' }],
    }
    assert.is(createValidate(disposalBody([8453]), 'body')(body), undefined)
    const filled = body as unknown as DisposalBody
    assert.is(filled.allow_unbounded_estimate, false)
    const { slippageBps, haircutBps, mode, allowPartial } = toDisposal(filled)
    assert.equal([slippageBps, haircutBps, mode, allowPartial], [50, 50, 'deep', false])
  },
)

s.run()
