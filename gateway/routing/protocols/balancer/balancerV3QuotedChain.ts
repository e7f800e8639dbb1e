import { type Address, encodeAbiParameters, encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import type { LoadParameters, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { readCall } from '../../reads/readCalls.ts'
import { readEach } from '../../reads/readEach.ts'
import { createQuotedFamily } from '../quoted/quotedChain.ts'
import {
  actsOnSwaps,
  balancerV3Vault,
  listBalancerV3Pools,
  listRateProviders,
  vaultAbi,
  vaultDiscovery,
} from './balancerV3Chain.ts'

const routerAbi = parseAbi([
  'function querySwapSingleTokenExactIn(address pool, address tokenIn, address tokenOut, uint256 exactAmountIn, address sender, bytes userData) returns (uint256)',
])
/** The fee stands behind the four flags of liquidity in the pool's configuration. */
const fee = {
  unit: 10n ** 18n,
  wordAt: 4,
  call: ({ address: pool }: PoolRef) => {
    const call = { abi: vaultAbi, functionName: 'getPoolConfig', args: [pool] }
    return readCall(balancerV3Vault, call, 5)
  },
}

/** Tokens, their kinds, raw balances. */
function readInfos(deps: ReadDeps, { pools, blockNumber }: LoadParameters) {
  return readEach(deps, {
    abi: vaultAbi,
    functionName: 'getPoolTokenInfo',
    blockNumber,
    calls: pools.map(({ address }) => ({ target: balancerV3Vault, args: [address] as const })),
  })
}

/** Rate providers, and the hook where it is another contract than the pool. */
async function listParts(deps: ReadDeps, { pools, blockNumber }: LoadParameters) {
  const [infos, hooks] = await Promise.all([
    readInfos(deps, { pools, blockNumber }),
    readEach(deps, {
      abi: vaultAbi,
      functionName: 'getHooksConfig',
      blockNumber,
      calls: pools.map(({ address }) => ({ target: balancerV3Vault, args: [address] as const })),
    }),
  ])
  return pools.map(({ address }, index) => {
    const hook = hooks[index]
    const isOwn = hook?.hooksContract.toLowerCase() === address.toLowerCase()
    const hooked = hook && actsOnSwaps(hook) && !isOwn ? [hook.hooksContract] : []
    return [...listRateProviders(infos[index]?.[1]), ...hooked]
  })
}

/**
 * Pools behind Balancer's v3 vault with maths or fees of their own (Gyro's curves, reCLAMM, StableSurge),
 * asked through Balancer's router: the vault runs the swap, hooks and all, and undoes it.
 */
export const balancerV3QuotedFamily = createQuotedFamily({
  ...vaultDiscovery,
  protocol: 'balancer_v3_quoted',
  vault: balancerV3Vault,
  fee,
  find: async () => [],
  list: listBalancerV3Pools,
  stepGas: ({ tokens }) => 187_000 + 9_000 * tokens.length,
  readTokens: async (deps, parameters) =>
    (await readInfos(deps, parameters)).map((info) => info?.[0]),
  readHeld: async (deps, parameters) =>
    (await readInfos(deps, parameters)).map((info) => info?.[2]),
  listParts,
  quoter: {
    question({ address, quoter, tokens }, { i, j, amountIn }) {
      const [tokenIn, tokenOut] = [tokens[i] as Address, tokens[j] as Address]
      const args = [address, tokenIn, tokenOut, amountIn, zeroAddress, '0x'] as const
      return {
        target: quoter,
        data: encodeFunctionData({
          abi: routerAbi,
          functionName: 'querySwapSingleTokenExactIn',
          args,
        }),
      }
    },
    readAnswer: ([amountOut]) => amountOut,
  },
  encodeStep: ({ address }) => ({
    kind: stepKinds.balancerV3,
    pool: balancerV3Vault,
    data: encodeAbiParameters([{ type: 'address' }], [address]),
  }),
})
