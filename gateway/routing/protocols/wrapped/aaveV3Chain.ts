import { type Address, encodeAbiParameters, type Hex, pad, parseAbi, toEventSelector } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { lesser } from '../../../amounts/amounts.ts'
import { isSameAddress } from '../../../chain/sameAddress.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { PoolLog } from '../../reads/poolLog.ts'
import type { ListParameters, LoadParameters, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { readCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import { type PoolFamily, toHead } from '../family/poolFamily.ts'
import { divUp } from '../maths/checkedUint.ts'
import { type AaveV3State, createAaveV3Pool } from './aaveV3.ts'

/** A reserve within Aave's market; its id is its asset, as events name it. */
export type AaveV3Record = PoolHead &
  AaveV3State & {
    readonly protocol: 'aave_v3'
    /** Who tells of caps, freezes and pauses. */
    readonly configurator: Address | undefined
    /** Where a cap bounds what is supplied; the room below it shrinks by the second. */
    readonly capped?: Capped | undefined
  }
/** The cap in raw units, and what counts against it, scaled: what the market's treasury is owed, too. */
type Capped = { readonly cap: bigint; readonly scaled: bigint }

const abi = parseAbi([
  'function POOL_REVISION() view returns (uint256)',
  'function getReserveData(address asset)',
  'function getReserveNormalizedIncome(address asset) view returns (uint256)',
  'function getVirtualUnderlyingBalance(address asset) view returns (uint128)',
  'function balanceOf(address owner) view returns (uint256)',
  'function scaledTotalSupply() view returns (uint256)',
])
const ray = 10n ** 27n
/** Markets before it round to the nearest, and send less than what was asked. */
const firstRevision = 9n
/** Places in a reserve's data, `ReserveDataLegacy`, and bits of its first word: github:aave-dao/aave-v3-origin. */
const reserveWords = 15
const [configurationAt, aTokenAt, accruedAt] = [0, 8, 12] as const
const [decimalsBit, activeBit, frozenBit, pausedBit, capBit] = [48n, 56n, 57n, 60n, 116n] as const
const capMask = 2n ** 36n - 1n
/** Where a market has no cap: more than any token has. Where it is shut, so much is missing. */
const boundless = 2n ** 112n
/** `supply: collateralEnabled` and `withdraw: full withdraw` of its own snapshots, less a transaction's part. */
const stepGas = { supply: 165_000, withdraw: 140_000 } as const
/** Their first field is the asset. */
const topics = [
  'ReserveDataUpdated(address,uint256,uint256,uint256,uint256,uint256)',
  'ReserveActive(address,bool)',
  'ReserveFrozen(address,bool)',
  'ReservePaused(address,bool)',
  'SupplyCapChanged(address,uint256,uint256)',
].map((event) => toEventSelector(event))

const reservesOf = ({ reserves = [] }: PoolRef['dex']) => reserves
const has = (configuration: bigint, bit: bigint) => ((configuration >> bit) & 1n) === 1n

/** Those of the row's list that this market has. */
async function list(
  { client }: ReadDeps,
  { dex, blockNumber }: ListParameters,
): Promise<readonly PoolRef[]> {
  const reserves = reservesOf(dex)
  const calls = reserves.map(([asset]) =>
    readCall(dex.factory, { abi, functionName: 'getReserveData', args: [asset] }, reserveWords),
  )
  const answers = await readCalls({ client }, { calls, blockNumber })
  return reserves
    .filter(([, aToken], index) => isOf(answers[index], aToken))
    .map(([asset]) => ({ dex, address: dex.factory, id: pad(asset).toLowerCase() as Hex }))
}

const isOf = (data: readonly bigint[] | undefined, aToken: Address) =>
  data?.length === reserveWords && isSameAddress(wordToAddress(data[aTokenAt] ?? 0n), aToken)

type Found = { readonly pool: PoolRef; readonly asset: Address; readonly aToken: Address }

/** The reserves of the row's list. */
const findListed = ({ id, dex }: PoolRef) =>
  reservesOf(dex).find(([asset]) => pad(asset).toLowerCase() === id)

function readCapped(configuration: bigint, scaled: bigint): Capped | undefined {
  const cap = (configuration >> capBit) & capMask
  if (cap === 0n || has(configuration, frozenBit)) return undefined
  return { cap: cap * 10n ** ((configuration >> decimalsBit) & 0xffn), scaled }
}

const roomOf = ({ cap, scaled }: Capped, index: bigint) => cap - divUp(scaled * index, ray)

type Words = readonly (readonly bigint[] | undefined)[]

/** What a reserve's answers come to; undefined where it is none, another than the listed, or too old. */
function readState(
  aToken: Address,
  [revision, data, income, virtual, held, supplied]: Words,
): Pick<AaveV3Record, 'mosts' | 'rounding' | 'capped'> | undefined {
  const [index, available, balance, total] = [income, virtual, held, supplied].map(
    (words) => words?.[0],
  )
  if (!index || available === undefined || balance === undefined) return undefined
  if (!data || !isOf(data, aToken) || total === undefined) return undefined
  if ((revision?.[0] ?? 0n) < firstRevision) return undefined
  const configuration = data[configurationAt] ?? 0n
  const rounding = divUp(index, ray)
  const isOpen = has(configuration, activeBit) && !has(configuration, pausedBit)
  // A withdrawal is of what arrived, which may be a unit more than what was sent.
  const withdrawable = lesser(available, balance) - rounding
  if (!isOpen) return { mosts: [-boundless, -boundless], rounding }
  const capped = readCapped(configuration, total + (data[accruedAt] ?? 0n))
  const uncapped = has(configuration, frozenBit) ? -boundless : boundless
  const room = capped ? roomOf(capped, index) : uncapped
  return { mosts: [withdrawable, room], rounding, ...(capped && { capped }) }
}

async function load(
  deps: ReadDeps,
  { pools, blockNumber }: LoadParameters,
): Promise<readonly AaveV3Record[]> {
  const found = pools.flatMap((pool): Found[] => {
    const [asset, aToken] = findListed(pool) ?? []
    return asset && aToken ? [{ pool, asset, aToken }] : []
  })
  const calls = found.map(({ pool: { address: market }, asset, aToken }) => {
    const ask = (functionName: string, words?: number) =>
      readCall(market, { abi, functionName, args: [asset] }, words)
    return [
      readCall(market, { abi, functionName: 'POOL_REVISION' }),
      ask('getReserveData', reserveWords),
      ask('getReserveNormalizedIncome'),
      ask('getVirtualUnderlyingBalance'),
      readCall(asset, { abi, functionName: 'balanceOf', args: [aToken] }),
      readCall(aToken, { abi, functionName: 'scaledTotalSupply' }),
    ]
  })
  const perPool = calls[0]?.length ?? 0
  const answers = await readCalls(deps, { calls: calls.flat(), blockNumber })
  return found.flatMap(({ pool, asset, aToken }, index) => {
    const state = readState(aToken, answers.slice(perPool * index, perPool * (index + 1)))
    if (!state) return []
    const tokens = [asset, aToken]
    return [
      {
        ...toHead(pool, { tokens, blockNumber }),
        ...state,
        protocol: 'aave_v3' as const,
        feePips: 0,
        isFresh: tokens.map(() => false),
        configurator: pool.dex.announcer,
      },
    ]
  })
}

/** Interest counts against a cap, and nobody tells of it. */
async function refresh(
  deps: ReadDeps,
  {
    records,
    blockNumber,
  }: { readonly records: readonly AaveV3Record[]; readonly blockNumber: bigint },
): Promise<ReadonlyMap<string, Partial<AaveV3Record>>> {
  const bounded = records.flatMap(({ id, address, tokens, mosts, capped }) =>
    capped ? [{ id, address, mosts, capped, asset: tokens[0] }] : [],
  )
  const functionName = 'getReserveNormalizedIncome'
  const calls = bounded.map(({ address, asset }) =>
    readCall(address, { abi, functionName, args: [asset] }),
  )
  const answers = await readCalls(deps, { calls, blockNumber })
  return new Map(
    bounded.flatMap(({ id, mosts: [withdrawable = 0n], capped }, k) => {
      const index = answers[k]?.[0]
      return index ? [[id, { mosts: [withdrawable, roomOf(capped, index)] }] as const] : []
    }),
  )
}

function apply(record: AaveV3Record, { address }: PoolLog): AaveV3Record | undefined {
  // Other markets name the same assets: this one's own word counts, and its configurator's.
  const isHeard = [record.address, record.configurator].some(
    (own) => own?.toLowerCase() === address,
  )
  return isHeard ? undefined : record
}

/** Reserves of Aave v3 of a reviewed list: supplied for aTokens and withdrawn, one for one. Nobody pays a fee. */
export const aaveV3Family: PoolFamily<AaveV3Record> = {
  find: async () => [],
  list,
  load,
  topics,
  creations: [],
  emitters: ({ announcer }) => (announcer ? [announcer] : []),
  poolIdOf: ({ topics: [topic, id] }) => (topics.some((known) => known === topic) ? id : undefined),
  nameInLogs: ({ id, address, configurator }) => ({
    name: id as Hex,
    by: configurator ? [address, configurator] : [address],
  }),
  apply,
  refresh,
  movesApart: true,
  toEnginePool: createAaveV3Pool,
  encodeStep: ({ address, tokens }, { tokenIn }) => ({
    kind: stepKinds.aaveV3,
    pool: address,
    data: encodeAbiParameters([{ type: 'bool' }], [tokens[0] === tokenIn]),
  }),
  midPrice: () => 1,
  // A price that does not move says nothing about depth.
  depth: () => undefined,
  held: ({ mosts }) => Math.max(0, Number(mosts[0] ?? 0n)),
  stepGas: (_, i) => (i === 0 ? stepGas.supply : stepGas.withdraw),
  takesTaxedInput: false,
}
