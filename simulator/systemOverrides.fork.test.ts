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
import type { RpcCall } from './rpc/rpcBatch.ts'
import { createSimulator } from './simulator.ts'
import { assembleAnswers, readSystemOverrides, unsupportedMark } from './systemOverrides.ts'
import { startTestChain } from './testing/testChain.ts'
import { startTestForks } from './testing/testForks.ts'

const s = suite('system overrides')
const chain = await startTestChain({ chainId: 42161 })
const arbSys = '0x0000000000000000000000000000000000000064'
const arbGasInfo = '0x000000000000000000000000000000000000006c'
const arbRetryable = '0x000000000000000000000000000000000000006e'
for (const address of [arbSys, arbGasInfo, arbRetryable])
  await chain.request('anvil_setCode', [address, '0xfe'])
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
  chains: [{ chainId: 42161, upstreamUrl: chain.rpcUrl, settings: { precompiles: 'arbOs' } }],
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
s('says that a precompile is unsupported where nothing stands for what it does', async () => {
  const candidate: Candidate = {
    target: arbRetryable,
    data: toFunctionSelector('getLifetime()'),
    value: 0n,
    tokenIn: zeroAddress,
    tokenOut: zeroAddress,
    amountIn: 1n,
    spender: undefined,
  }
  const candidates = [candidate, { ...candidate, target: arbSys } as const]
  const { results } = await simulator.simulateCandidates({ chainId: 42161, candidates })
  const unsupported = {
    status: 'simulation_unavailable',
    reason: 'unsupported precompile',
    cause: 'unsupported',
  }
  assert.equal(results, [unsupported, unsupported])
})
s("repeats the real chain's own answers, read in one batch", async () => {
  const price = numberToHex(20_000_000n, { size: 32 })
  const selector = toFunctionSelector('getMinimumGasPrice()')
  let batches = 0
  const send = async (calls: readonly RpcCall[]) => {
    batches += 1
    return calls.map(({ method, params: [first] }) => {
      if (method === 'eth_getCode') return { ok: true, result: '0xfe' } as const
      const isAnswered = Object(first).to === arbGasInfo && Object(first).data === selector
      if (isAnswered) return { ok: true, result: price } as const
      return { ok: false, code: 3, message: 'reverted', data: undefined } as const
    })
  }
  const overrides = await readSystemOverrides(
    { send },
    { chainId: 42161, blockNumber: 7n, precompiles: 'arbOs' },
  )
  assert.is(batches, 1)
  const ask = async (to: Address, signature: string) => {
    const call = { to, data: toFunctionSelector(signature), gas: '0xfffff' }
    return chain.request('eth_call', [call, 'latest', overrides])
  }
  assert.is(await ask(arbGasInfo, 'getMinimumGasPrice()'), price)
  assert.is(await ask(arbSys, 'arbBlockNumber()'), numberToHex(7n, { size: 32 }))
  assert.equal(
    await readSystemOverrides({ send }, { chainId: 8453, blockNumber: 7n, precompiles: undefined }),
    {},
  )
})
s('assembles answers of several words', () => {
  const words = concat([numberToHex(1n, { size: 32 }), numberToHex(2n, { size: 32 })])
  const code = assembleAnswers(new Map([['0x01020304', words]]))
  assert.ok(code.endsWith('6100405ff3'))
  assert.ok(assembleAnswers(new Map()).includes(unsupportedMark.slice(2)))
})
s.run()
