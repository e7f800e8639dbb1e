import { type Address, encodeFunctionData, parseAbi, toEventSelector } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { seedTokens } from '../../../chain/chains.ts'
import { readCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import { createQuotedFamily } from './quotedChain.ts'

const abi = parseAbi([
  'function quoteToken() view returns (address)',
  'function tokenInfos(address token) view returns (uint192 reserve)',
  'function query(address from, address to, uint256 amount) view returns (uint256)',
])
/** The engine tells tokens of one pool apart up to here. */
const mostTokens = 12

/** WOOFi: one contract for all tokens, priced by its oracle. It lists no tokens: known ones are tried. */
export const woofiFamily = createQuotedFamily({
  protocol: 'woofi',
  creations: [],
  stepGas: () => 68_000,
  // A token that comes to it is known by its first deposit.
  topics: [
    'WooSwap(address,address,uint256,uint256,address,address,address,uint256,uint256)',
    'Deposit(address,address,uint256)',
    'Withdraw(address,address,uint256)',
  ].map((event) => toEventSelector(event)),
  find: async (_, { dex }) => [{ dex, address: dex.factory }],
  list: async (_, { dex }) => [{ dex, address: dex.factory }],
  async readTokens(deps, { pools, blockNumber }) {
    const known = seedTokens(deps.client.chain.id).map(({ address }) => address)
    const calls = pools.flatMap(({ address: target }) => [
      readCall(target, { abi, functionName: 'quoteToken' }),
      ...known.map((token) => readCall(target, { abi, functionName: 'tokenInfos', args: [token] })),
    ])
    const answers = await readCalls(deps, { calls, blockNumber })
    const perPool = 1 + known.length
    return pools.map((_, index): readonly Address[] | undefined => {
      const [quoteWords, ...infos] = answers.slice(index * perPool, (index + 1) * perPool)
      if (!quoteWords?.[0]) return undefined
      const quote = wordToAddress(quoteWords[0])
      const held = known.filter((_token, k) => (infos[k]?.[0] ?? 0n) > 0n)
      const bases = held.filter((token) => token.toLowerCase() !== quote)
      return [quote, ...bases].slice(0, mostTokens)
    })
  },
  quoter: {
    question({ address, tokens }, { i, j, amountIn }) {
      const args = [tokens[i] as Address, tokens[j] as Address, amountIn] as const
      return { target: address, data: encodeFunctionData({ abi, functionName: 'query', args }) }
    },
    readAnswer: ([amountOut]) => amountOut,
  },
  encodeStep: ({ address }) => ({ kind: stepKinds.woofi, pool: address, data: '0x' }),
})
