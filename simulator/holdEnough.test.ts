import { type Address, type Hex, numberToHex } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { type Candidate, heldOf } from './buildBundle.ts'
import { fundTaker } from './fundTaker.ts'
import { holdEnough } from './holdEnough.ts'
import type { RpcEndpoint } from './rpc/rpcBatch.ts'

const s = suite('holdEnough')
const address = (digit: string): Address => `0x${digit.repeat(40)}`
const taker = address('d')
const asked: Candidate = {
  target: address('a'),
  data: '0x01020304',
  value: 0n,
  tokenIn: address('b'),
  tokenOut: address('c'),
  amountIn: 5n,
  heldAmount: 10n,
  keepsWealth: true,
  spender: undefined,
}
const answering = (result: Hex | Error): RpcEndpoint => ({
  batch: async (calls) => {
    if (result instanceof Error) throw result
    return calls.map(() => ({ ok: true, result }))
  },
  close: async () => undefined,
})
const hold = (answer: Hex | Error, change: Partial<Candidate> = {}) =>
  holdEnough(
    { rpc: answering(answer), timeoutMs: 1 },
    { candidate: { ...asked, ...change }, taker },
  )
const word = (value: bigint) => numberToHex(value, { size: 32 })

s('holds what it really has, where that is more and can be told [17/held-wealth]', async () => {
  const held = async (...asking: Parameters<typeof hold>) => heldOf(await hold(...asking))
  assert.is(await held(word(11n)), 11n)
  assert.is(await held(`${word(11n)}ff`), 11n)
  assert.is(await held(word(2n ** 255n)), 2n ** 255n)
  for (const [answer, change] of [
    [word(10n)],
    ['0x'],
    ['0xff'],
    [`0x${'ff'.repeat(31)}`],
    [new Error('the fork is gone')],
    [word(11n), { keepsWealth: false }],
    [word(11n), { keepsWealth: undefined }],
    [word(11n), { funding: 'real' as const }],
    [word(11n), { tokenIn: address('0') }],
  ] as const)
    assert.is(await held(answer, change), 10n)
  // What it sells is not more than that.
  assert.is((await hold(word(10n))).ownAmount, undefined)
})

s('is sent nothing by anybody where it has all of that itself [17/own-wealth]', async () => {
  const fund = async (candidate: Candidate) =>
    fundTaker(
      {
        rpc: answering('0x'),
        timeoutMs: 1,
        blockNumber: 1n,
        slots: { resolve: async () => ({ status: 'not_found' }), invalidate: () => undefined },
        // Nobody has as much as the taker of a token whose balances lie in no slot.
        findWhales: async () => [{ holder: address('e'), balance: 999n }],
      },
      { candidate, taker, timeSecs: 1n },
    )
  const poor = await fund(await hold(word(9n)))
  assert.is(poor.status === 'funded' && poor.prelude.length, 1)
  const rich = await fund(await hold(word(1_000n)))
  assert.is(rich.status === 'funded' && rich.prelude.length, 0)
})
s.run()
