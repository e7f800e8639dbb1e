import {
  type Address,
  concat,
  type Hex,
  numberToHex,
  pad,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import { createSimulator } from './simulator.ts'
import { assembleAnswers } from './systemOverrides.ts'
import { startTestChain } from './testing/testChain.ts'
import { startTestForks } from './testing/testForks.ts'

const s = suite('system overrides')
const chain = await startTestChain({ chainId: 42161 })
const arbSys = '0x0000000000000000000000000000000000000064'
const arbGasInfo = '0x000000000000000000000000000000000000006c'
for (const address of [arbSys, arbGasInfo]) await chain.request('anvil_setCode', [address, '0xfe'])
/** Takes a system contract and a selector, and sends its caller as many wei as the contract's answer says. */
const payer: Address = '0x7777777777777777777777777777777777777777'
const payerCode: Hex = concat([
  '0x600460205f37', // CALLDATACOPY(0, 32, 4)
  '0x60205f60045f5f355afa', // STATICCALL(gas, CALLDATALOAD(0), 0, 4, 0, 32)
  '0x6016575f5ffd', // revert unless it worked
  '0x5b5f5f5f5f5f51335af100', // CALL(gas, CALLER, MLOAD(0), 0, 0, 0, 0)
])
await chain.request('anvil_setCode', [payer, payerCode])
await chain.request('anvil_setBalance', [payer, '0xffffffffffff'])
await chain.request('anvil_mine', ['0x5'])
const simulator = await createSimulator({
  chains: [{ chainId: 42161, upstreamUrl: chain.rpcUrl }],
  forks: await startTestForks(),
})
s.after(async () => {
  await simulator.close()
  await chain.close()
})

const ask = async (target: Address, signature: string) => {
  const candidate: Candidate = {
    target: payer,
    data: concat([pad(target, { size: 32 }), toFunctionSelector(signature)]),
    value: 0n,
    tokenIn: zeroAddress,
    tokenOut: zeroAddress,
    amountIn: 1n,
    spender: undefined,
  }
  const { results } = await simulator.simulateCandidates({
    chainId: 42161,
    candidates: [candidate],
  })
  return results[0]
}

s('answers as ArbSys, which the fork itself does not have', async () => {
  const number = await ask(arbSys, 'arbBlockNumber()')
  assert.equal(
    number?.status === 'ok' && number.amountOut,
    BigInt(simulator.status(42161).blockNumber ?? 0),
  )
  const id = await ask(arbSys, 'arbChainID()')
  assert.equal(id?.status === 'ok' && id.amountOut, 42161n)
})
s('reverts where the real chain gave no answer to repeat', async () => {
  assert.is((await ask(arbGasInfo, 'getMinimumGasPrice()'))?.status, 'simulation_failed')
})
s('assembles answers of several words', () => {
  const words = concat([numberToHex(1n, { size: 32 }), numberToHex(2n, { size: 32 })])
  const code = assembleAnswers(new Map([['0x01020304', words]]))
  assert.ok(code.endsWith('6100405ff3'))
  assert.is(assembleAnswers(new Map()), '0x5f3560e01c5f5ffd')
})
s.run()
