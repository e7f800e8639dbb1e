import { encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { approveData, balanceOfCall } from './callShapes.ts'

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
s.run()
