import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  parseAbi,
  toEventSelector,
} from 'viem'
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
  'function getPoolReservesAdjusted(address pool)',
])
/** As many as an answer of the lens holds. */
const mostListed = 126
/** Holds the tokens of all pools, on every chain, and tells of what each of them does with its own. */
const liquidityLayer: Address = '0x52Aa899454998Be5b000Ad077a46Bbe360F4e497'
/**
 * Its first field is the pool (github:Instadapp/fluid-contracts-public
 * contracts/liquidity/userModule/events.sol): of deposits the pool itself tells nothing that is read here.
 */
const operateTopic = toEventSelector(
  'LogOperate(address,address,int256,int256,address,address,uint256,uint256)',
)
/**
 * Places in what the resolver says of a pool: github:Instadapp/fluid-contracts-public
 * contracts/periphery/resolvers/dexReserves/structs.sol. Each limit takes three words.
 */
const collateralAt = [5, 6] as const
const debtAt = [11, 12] as const
const [withdrawableAt, borrowableAt] = [15, 21] as const
const limitWords = 3
const reservesWords = 27

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

/**
 * A swap is paid from what lenders left (withdrawn) and from what they may lend (borrowed), whichever the
 * pool has; a limit of either reverts it, and its estimate knows of none. How much comes from where moves
 * with the size: neither part is more than all of it.
 */
function readLimit(words: readonly bigint[], k: number): bigint {
  const has = (places: readonly number[]) => places.some((place) => (words[place] ?? 0n) > 0n)
  const available = (at: number) => words[at + limitWords * k] ?? 0n
  const withdrawable = has(collateralAt) ? [available(withdrawableAt)] : []
  const borrowable = has(debtAt) ? [available(borrowableAt)] : []
  const [least = 0n] = [...withdrawable, ...borrowable].toSorted((one, other) =>
    one < other ? -1 : 1,
  )
  return least
}

/** Fluid DEX: prices follow the lending market beside it, at every second. */
export const fluidFamily = createQuotedFamily({
  protocol: 'fluid',
  creations: [poolDeployed],
  list,
  stepGas: ({ native }, i) => (native[i] ? 70_000 : 100_000),
  find: async (deps, parameters) => (await list(deps, parameters)) ?? [],
  topics: [toEventSelector('Swap(bool,uint256,uint256,address)'), operateTopic],
  vault: liquidityLayer,
  poolIdOf: ({ topics: [topic, user] }) =>
    topic === operateTopic && user ? `0x${user.slice(26)}` : undefined,
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
  async readLimits(deps, { records, blockNumber }) {
    const calls = records.map(({ address, quoter }) =>
      readCall(
        quoter,
        { abi, functionName: 'getPoolReservesAdjusted', args: [address] },
        reservesWords,
      ),
    )
    const answers = await readCalls({ client: deps.client }, { calls, blockNumber })
    return answers.map((words, index) =>
      words?.length === reservesWords
        ? records[index]?.tokens.map((_, k) => readLimit(words, k))
        : undefined,
    )
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
