import { encodeFunctionData, erc20Abi, maxUint256, toHex } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { approveData, balanceOfCall, gasOf, simulateParams } from './callShapes.ts'

const s = suite('call shapes')
const somebody = '0x2962ec6d8ed160aed46ca3907301316a2acd6d54'

s('encode as the ABI does', () => {
  for (const amount of [0n, 1n, 10n ** 30n, maxUint256])
    assert.is(
      approveData(somebody, amount),
      encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [somebody, amount] }),
    )
  assert.is(
    balanceOfCall(somebody, somebody).data,
    encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [somebody] }),
  )
})
s('bound the gas of each, a read by a hostile token too', () => {
  assert.equal(gasOf, {
    approve: 1_000_000n,
    balanceRead: 2_000_000n,
    swap: 2_000_000n,
    hungrySwap: 25_000_000n,
    chainSwap: 8_000_000n,
  })
  const { to, gas } = balanceOfCall(somebody, somebody)
  assert.equal([to, gas], [somebody, toHex(2_000_000n)])
})
s('are one block on top of the newest, for which nobody pays unless that is asked for', () => {
  const given = {
    calls: [balanceOfCall(somebody, somebody)],
    stateOverrides: { [somebody]: { balance: '0x1' } },
    blockOverrides: { time: '0x2' },
  } as const
  const paramsOf = (validation: boolean) => [
    { blockStateCalls: [given], validation, traceTransfers: false },
    'latest',
  ]
  assert.equal(simulateParams(given), paramsOf(false))
  assert.equal(simulateParams({ ...given, validation: true }), paramsOf(true))
})
s.run()
