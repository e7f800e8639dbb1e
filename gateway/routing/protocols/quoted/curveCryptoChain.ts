import { encodeAbiParameters, encodeFunctionData, parseAbi, toEventSelector } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { readCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import { curveDiscovery, feeUnit } from '../curve/curveChain.ts'
import { createQuotedFamily } from './quotedChain.ts'

const abi = parseAbi([
  'function coins(uint256) view returns (address)',
  'function fee() view returns (uint256)',
  'function get_dy(uint256 i, uint256 j, uint256 dx) view returns (uint256)',
])
const mostCoins = 3
const lists = ['uint256[2]', 'uint256[3]']
const tokens = ['address[2]', 'address[3]']
const topics = [
  'TokenExchange(address,uint256,uint256,uint256,uint256)',
  'TokenExchange(address,uint256,uint256,uint256,uint256,uint256,uint256)',
  'RemoveLiquidityOne(address,uint256,uint256,uint256)',
  'RemoveLiquidityOne(address,uint256,uint256,uint256,uint256,uint256)',
  ...lists.flatMap((list) => [
    `AddLiquidity(address,${list},uint256,uint256)`,
    `AddLiquidity(address,${list},uint256,uint256,uint256)`,
    `RemoveLiquidity(address,${list},uint256)`,
  ]),
  // Of the latest code for two coins.
  `AddLiquidity(address,address,${lists[0]},uint256,uint256,uint256)`,
  `RemoveLiquidityImbalance(address,uint256,${lists[0]},uint256,uint256)`,
].map((signature) => toEventSelector(signature))
const creations = [
  `CryptoPoolDeployed(address,${tokens[0]},${Array(10).fill('uint256')},address)`,
  `TwocryptoPoolDeployed(address,string,string,${tokens[0]},address,bytes32,uint256[2],uint256,uint256,uint256,uint256,address)`,
  `TricryptoPoolDeployed(address,string,string,address,${tokens[1]},address,bytes32,uint256,uint256,uint256,uint256,uint256,address)`,
].map((signature) => ({ topic: toEventSelector(signature), read: () => undefined }))

/** Curve's crypto pools of 2 and 3 coins, of any generation: they agree in these functions. */
export const curveCryptoFamily = createQuotedFamily({
  ...curveDiscovery,
  protocol: 'curve_crypto',
  creations,
  topics,
  stepGas: () => 88_000,
  fee: { unit: feeUnit, call: ({ address }) => readCall(address, { abi, functionName: 'fee' }) },
  async readTokens(deps, { pools, blockNumber }) {
    const calls = pools.flatMap(({ address }) =>
      Array.from({ length: mostCoins }, (_, k) =>
        readCall(address, { abi, functionName: 'coins', args: [BigInt(k)] }),
      ),
    )
    const answers = await readCalls(deps, { calls, blockNumber })
    return pools.map((_, index) =>
      answers
        .slice(index * mostCoins, (index + 1) * mostCoins)
        .flatMap((words) => (words?.[0] ? [wordToAddress(words[0])] : [])),
    )
  },
  quoter: {
    question: ({ address }, { i, j, amountIn }) => ({
      target: address,
      data: encodeFunctionData({
        abi,
        functionName: 'get_dy',
        args: [BigInt(i), BigInt(j), amountIn],
      }),
    }),
    readAnswer: ([amountOut]) => amountOut,
  },
  encodeStep({ address, tokens: coins }, { tokenIn, tokenOut }) {
    const indexes = [coins.indexOf(tokenIn), coins.indexOf(tokenOut)].map(BigInt)
    const types = [{ type: 'uint256' }, { type: 'uint256' }] as const
    const data = encodeAbiParameters(types, indexes as [bigint, bigint])
    return { kind: stepKinds.curveCrypto, pool: address, data }
  },
})
