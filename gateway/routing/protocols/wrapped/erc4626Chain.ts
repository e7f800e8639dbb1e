import { type Address, encodeFunctionData, parseAbi, toEventSelector } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import type { ReadDeps } from '../../reads/poolRef.ts'
import { type ReadCall, readCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import { balancerV3Vault } from '../balancer/balancerV3Chain.ts'
import { createQuotedFamily } from '../quoted/quotedChain.ts'

const abi = parseAbi([
  'function asset() view returns (address)',
  'function totalAssets() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function maxDeposit(address receiver) view returns (uint256)',
  'function maxRedeem(address owner) view returns (uint256)',
  'function previewDeposit(uint256 assets) view returns (uint256)',
  'function previewRedeem(uint256 shares) view returns (uint256)',
])
/** A vault's tokens are what it takes, in this place, and its shares, which are its own token. */
const assetAt = 0
/** Who knows no bound names a number that its own arithmetic does not bear. */
const boundless = 2n ** 112n

/** Those of the row's dated list that stand on this chain. */
const list: NonNullable<Parameters<typeof createQuotedFamily>[0]['list']> = async (
  deps,
  { dex, blockNumber },
) => {
  const vaults = dex.knownPools ?? []
  const calls = vaults.map((vault) => readCall(vault, { abi, functionName: 'asset' }))
  const answers = await readCalls({ client: deps.client }, { calls, blockNumber })
  return vaults.flatMap((address, index) => (answers[index]?.[0] ? [{ dex, address }] : []))
}

/** Two answers of each vault; undefined where one was none. */
async function askTwo(
  { client }: ReadDeps,
  {
    asked,
    blockNumber,
  }: { readonly asked: readonly Two<ReadCall>[]; readonly blockNumber: bigint },
): Promise<readonly (Two<bigint> | undefined)[]> {
  const answers = await readCalls({ client }, { calls: asked.flat(), blockNumber })
  return asked.map((_, index) => {
    const [one, other] = [answers[2 * index]?.[0], answers[2 * index + 1]?.[0]]
    return one === undefined || other === undefined ? undefined : [one, other]
  })
}
type Two<item> = readonly [item, item]

/** The last wei before a bound is left out: a preview rounds, and may say the same beyond it. */
const below = (bound: bigint) => (bound > 0n ? bound - 1n : 0n)

/**
 * Vaults of ERC-4626 that somebody has reviewed, each at its own rate, which moves by the second. A preview
 * knows no limits: what a vault takes is `maxDeposit`, and what it gives at least what the largest known
 * holder of its shares, Balancer's vault, may redeem.
 */
export const erc4626Family = createQuotedFamily({
  protocol: 'erc4626',
  creations: [],
  list,
  // They are all listed at the start, whoever's tokens they take.
  find: async () => [],
  // Of Aave's wrappers, which go through their market; the snapshots of its own tests.
  stepGas: (_, i) => (i === assetAt ? 250_000 : 190_000),
  topics: [
    'Deposit(address,address,uint256,uint256)',
    'Withdraw(address,address,address,uint256,uint256)',
  ].map((event) => toEventSelector(event)),
  async readTokens(deps, { pools, blockNumber }) {
    const calls = pools.map(({ address }) => readCall(address, { abi, functionName: 'asset' }))
    const answers = await readCalls(deps, { calls, blockNumber })
    return pools.map(({ address }, index): readonly Address[] | undefined => {
      const word = answers[index]?.[0]
      return word ? [wordToAddress(word), address] : undefined
    })
  },
  readHeld: (deps, { pools, blockNumber }) =>
    askTwo(deps, {
      blockNumber,
      asked: pools.map(({ address }) => [
        readCall(address, { abi, functionName: 'totalAssets' }),
        readCall(address, { abi, functionName: 'totalSupply' }),
      ]),
    }),
  async readLimits(deps, { records, blockNumber }) {
    const args = [balancerV3Vault]
    const bounds = await askTwo(deps, {
      blockNumber,
      asked: records.map(({ address }) => [
        readCall(address, { abi, functionName: 'maxDeposit', args }),
        readCall(address, { abi, functionName: 'maxRedeem', args }),
      ]),
    })
    const previews = await askTwo(deps, {
      blockNumber,
      asked: records.map(({ address }, index) => {
        const [assets, shares] = bounds[index] ?? [0n, 0n]
        const most = assets < boundless ? assets : boundless
        return [
          readCall(address, { abi, functionName: 'previewRedeem', args: [shares] }),
          readCall(address, { abi, functionName: 'previewDeposit', args: [most] }),
        ]
      }),
    })
    return previews.map((both) => (both ?? [0n, 0n]).map(below))
  },
  quoter: {
    question: ({ address }, { i, amountIn }) => ({
      target: address,
      data: encodeFunctionData({
        abi,
        functionName: i === assetAt ? 'previewDeposit' : 'previewRedeem',
        args: [amountIn],
      }),
    }),
    readAnswer: ([amountOut]) => amountOut,
  },
  encodeStep: ({ address }) => ({ kind: stepKinds.erc4626, pool: address, data: '0x' }),
})
