import { encodeAbiParameters, encodeFunctionData, parseAbi, toEventSelector } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import {
  arrayHead,
  readAddresses,
  readCall,
  readCalls,
  wordToAddress,
} from '../../reads/readCalls.ts'
import type { PoolCreation } from '../family/poolFamily.ts'
import { createQuotedFamily } from './quotedChain.ts'

/** Of Fluid's resolver of reserves: it lists the pools, names their tokens and estimates their swaps. */
const abi = parseAbi([
  'function getAllPoolAddresses() view returns (address[])',
  'function getPoolTokens(address pool) view returns (address, address)',
  'function estimateSwapIn(address dex, bool swap0to1, uint256 amountIn, uint256 amountOutMin) returns (uint256)',
])
const mostListed = 250

const list: NonNullable<Parameters<typeof createQuotedFamily>[0]['list']> = async (
  deps,
  { dex, blockNumber },
) => {
  const resolver = dex.quoter ?? dex.factory
  const all = { abi, functionName: 'getAllPoolAddresses' }
  const calls = [readCall(resolver, all, arrayHead + mostListed)]
  const [words] = await readCalls(deps, { calls, blockNumber })
  return readAddresses(words).map((address) => ({ dex, address }))
}

/** The event names the pool alone: the resolver, who knows its tokens, is asked for the list again. */
const poolDeployed: PoolCreation = {
  topic: toEventSelector('LogDexDeployed(address,uint256)'),
  read: () => undefined,
}

/** Fluid DEX: prices follow the lending market beside it, at every second. */
export const fluidFamily = createQuotedFamily({
  protocol: 'fluid',
  creations: [poolDeployed],
  list,
  stepGas: ({ native }, i) => (native[i] ? 70_000 : 100_000),
  find: async (deps, parameters) => (await list(deps, parameters)) ?? [],
  topics: [toEventSelector('Swap(bool,uint256,uint256,address)')],
  holderOf: ({ holder }) => holder,
  async readTokens(deps, { pools, blockNumber }) {
    const calls = pools.map(({ address, dex }) =>
      readCall(
        dex.quoter ?? dex.factory,
        { abi, functionName: 'getPoolTokens', args: [address] },
        2,
      ),
    )
    const answers = await readCalls(deps, { calls, blockNumber })
    return answers.map((words) => (words?.[0] ? words.map(wordToAddress) : undefined))
  },
  quoter: {
    question: ({ address, quoter }, { i, amountIn }) => ({
      target: quoter,
      data: encodeFunctionData({
        abi,
        functionName: 'estimateSwapIn',
        args: [address, i === 0, amountIn, 0n],
      }),
    }),
    readAnswer: ([amountOut]) => amountOut,
  },
  encodeStep({ address, tokens, native }, { tokenIn }) {
    const types = [{ type: 'bool' }, { type: 'bool' }] as const
    const data = encodeAbiParameters(types, [tokens[0] === tokenIn, native.includes(true)])
    return { kind: stepKinds.fluid, pool: address, data }
  },
})
