import { type Address, parseAbi, toEventSelector } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { isSameAddress } from '../../../chain/sameAddress.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { LoadParameters, ReadDeps } from '../../reads/poolRef.ts'
import { readCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import { type PoolFamily, toHead } from '../family/poolFamily.ts'
import { createPsm3Pool, type Psm3State, psm3Price } from './psm3.ts'

/** A PSM3: its USDC may lie with somebody else, its sUSDS is priced by an oracle of the savings rate. */
export type Psm3Record = PoolHead &
  Psm3State & {
    readonly protocol: 'psm3'
    readonly rateProvider: Address
    /** Who holds its USDC. */
    readonly pocket: Address
  }

const abi = parseAbi([
  'function usdc() view returns (address)',
  'function usds() view returns (address)',
  'function susds() view returns (address)',
  'function rateProvider() view returns (address)',
  'function pocket() view returns (address)',
  'function getConversionRate() view returns (uint256)',
])
const tokenAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])
const names = ['usdc', 'usds', 'susds', 'rateProvider', 'pocket'] as const
const mostDecimals = 36n
const stepGas = 70_000

type Held = Pick<Psm3Record, 'reserves' | 'rate'>
type Holding = Pick<Psm3Record, 'address' | 'rateProvider' | 'pocket' | 'tokens'>

/** What each can pay, and the rate: they move without an event of its own, by the second. */
async function readHeld(
  deps: ReadDeps,
  { holdings, blockNumber }: { holdings: readonly Holding[]; blockNumber: bigint },
): Promise<readonly (Held | undefined)[]> {
  const balanceOf = (token: Address, owner: Address) =>
    readCall(token, { abi: tokenAbi, functionName: 'balanceOf', args: [owner] })
  const perPool = 5
  const calls = holdings.flatMap(({ address, rateProvider, pocket, tokens }) => {
    const [usdc, usds, susds] = tokens as readonly [Address, Address, Address]
    return [
      balanceOf(usdc, pocket),
      readCall(usdc, { abi: tokenAbi, functionName: 'allowance', args: [pocket, address] }),
      balanceOf(usds, address),
      balanceOf(susds, address),
      readCall(rateProvider, { abi, functionName: 'getConversionRate' }),
    ]
  })
  const answers = await readCalls(deps, { calls, blockNumber })
  return holdings.map(({ address, pocket }, index) => {
    const own = answers.slice(perPool * index, perPool * (index + 1)).map((words) => words?.[0])
    const [usdc, allowed, usds, susds, rate] = own
    if (usdc === undefined || allowed === undefined) return undefined
    if (usds === undefined || susds === undefined || !rate) return undefined
    // What lies with another it takes by that one's allowance.
    const payable = isSameAddress(pocket, address) || usdc < allowed ? usdc : allowed
    return { reserves: [payable, usds, susds], rate }
  })
}

type Opened = Pick<Psm3Record, 'rateProvider' | 'pocket'> & { readonly tokens: readonly Address[] }

async function readNames(
  deps: ReadDeps,
  { pools, blockNumber }: LoadParameters,
): Promise<readonly (Opened | undefined)[]> {
  const calls = pools.flatMap(({ address }) =>
    names.map((functionName) => readCall(address, { abi, functionName })),
  )
  const answers = await readCalls(deps, { calls, blockNumber })
  return pools.map((_, index) => {
    const words = answers
      .slice(names.length * index, names.length * (index + 1))
      .flatMap((answer) => (answer?.[0] ? [wordToAddress(answer[0])] : []))
    const [rateProvider, pocket] = words.slice(3)
    return rateProvider && pocket ? { tokens: words.slice(0, 3), rateProvider, pocket } : undefined
  })
}

async function load(
  deps: ReadDeps,
  { pools, blockNumber }: LoadParameters,
): Promise<readonly Psm3Record[]> {
  const named = await readNames(deps, { pools, blockNumber })
  const known = pools.flatMap((pool, index) => {
    const opened = named[index]
    return opened ? [{ pool, ...opened }] : []
  })
  const holdings = known.map(({ pool, ...rest }) => ({ ...rest, address: pool.address }))
  const decimalsOf = { abi: tokenAbi, functionName: 'decimals' }
  const [helds, decimals] = await Promise.all([
    readHeld(deps, { holdings, blockNumber }),
    readCalls(deps, {
      calls: known.flatMap(({ tokens }) => tokens.map((token) => readCall(token, decimalsOf))),
      blockNumber,
    }),
  ])
  return known.flatMap(({ pool, tokens, rateProvider, pocket }, index) => {
    const held = helds[index]
    const digits = decimals.slice(3 * index, 3 * index + 3).map((words) => words?.[0])
    if (!held || digits.some((count) => count === undefined || count > mostDecimals)) return []
    return [
      {
        ...toHead(pool, { tokens, blockNumber }),
        ...held,
        protocol: 'psm3' as const,
        feePips: 0,
        isFresh: tokens.map(() => false),
        units: digits.map((count = 0n) => 10n ** count),
        rateProvider,
        pocket,
      },
    ]
  })
}

/** Spark's PSM3: one contract, which is its row's factory. Nobody pays a fee. */
export const psm3Family: PoolFamily<Psm3Record> = {
  find: async () => [],
  list: async (_, { dex }) => [{ dex, address: dex.factory }],
  load,
  topics: [
    'Swap(address,address,address,address,uint256,uint256,uint256)',
    'Deposit(address,address,address,uint256,uint256)',
    'Withdraw(address,address,address,uint256,uint256)',
    'PocketSet(address,address,uint256)',
  ].map((event) => toEventSelector(event)),
  creations: [],
  /** What lies with another is not in the event. */
  apply: () => undefined,
  async refresh(deps, { records, blockNumber }) {
    const helds = await readHeld(deps, { holdings: records, blockNumber })
    return new Map(
      records.flatMap(({ id }, index) => {
        const held = helds[index]
        return held ? [[id, held] as const] : []
      }),
    )
  },
  toEnginePool: createPsm3Pool,
  encodeStep: ({ address }) => ({ kind: stepKinds.psm3, pool: address, data: '0x' }),
  midPrice: psm3Price,
  // A price that does not move says nothing about depth.
  depth: () => undefined,
  held: ({ reserves }, i) => Number(reserves[i] ?? 0n),
  stepGas: () => stepGas,
  takesTaxedInput: false,
}
