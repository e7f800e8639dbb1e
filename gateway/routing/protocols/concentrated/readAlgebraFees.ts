import { type Address, parseAbi } from 'viem'
import type { PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { readCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'

const config = '(uint16, uint16, uint32, uint32, uint16, uint16, uint32, uint16, uint16)'
const abi = parseAbi([
  'function dataStorageOperator() view returns (address)',
  `function feeConfigZto() view returns ${config}`,
  `function feeConfigOtz() view returns ${config}`,
  'function globalState() view returns (uint160, int24, uint16, uint8, uint16, bool)',
])
const configWords = 9
/** Places in a fee configuration: the heights of both sigmoids over the base fee, and that fee. */
const [alpha1At, alpha2At, baseFeeAt] = [0, 1, 8] as const
const pluginConfigAt = 3
/** Flags of Integral: before a swap (it may name another fee), after it, and a fee of the plugin's own. */
const swapFlags = 0b1000_0011n

/** What the first swap of a block pays, where that is known; else who is asked. */
export type NextFees =
  | { readonly feePips: number; readonly feePips1: number; readonly quoter: undefined }
  | { readonly quoter: Address | undefined }

/** The contract that sets a pool's fees anew in the first swap of a block; undefined where none does. */
export async function readFeeOracles(
  deps: ReadDeps,
  { pools, blockNumber }: { readonly pools: readonly PoolRef[]; readonly blockNumber: bigint },
): Promise<readonly (Address | undefined)[]> {
  const call = { abi, functionName: 'dataStorageOperator' }
  const calls = pools.map(({ address }) => readCall(address, call))
  const answers = await readCalls(deps, { calls, blockNumber })
  return answers.map((words) => (words?.[0] ? wordToAddress(words[0]) : undefined))
}

/**
 * Fees of the first swap of a block. Without sigmoids it pays the base fee, whatever `globalState`
 * remembers of an older configuration; with them the fee hangs on that block's clock, and on what was
 * traded before: only the quoter runs that swap.
 */
export async function readNextFees(
  deps: ReadDeps,
  {
    pools,
    blockNumber,
  }: {
    readonly pools: readonly { readonly oracle: Address; readonly quoter: Address | undefined }[]
    readonly blockNumber: bigint
  },
): Promise<readonly NextFees[]> {
  const calls = pools.flatMap(({ oracle }) =>
    ['feeConfigZto', 'feeConfigOtz'].map((functionName) =>
      readCall(oracle, { abi, functionName }, configWords),
    ),
  )
  const answers = await readCalls(deps, { calls, blockNumber })
  return pools.map(({ quoter }, index) => {
    const feePips = fixedFee(answers[2 * index])
    const feePips1 = fixedFee(answers[2 * index + 1])
    if (feePips === undefined || feePips1 === undefined) return { quoter }
    return { feePips, feePips1, quoter: undefined }
  })
}

function fixedFee(words: readonly bigint[] | undefined): number | undefined {
  if (words?.[alpha1At] !== 0n || words[alpha2At] !== 0n) return undefined
  const baseFee = words[baseFeeAt]
  return baseFee === undefined ? undefined : Number(baseFee)
}

/** Leaves out pools whose plugin has a say in swaps: it may take any fee, or refuse. */
export async function withoutSwapPlugins(
  deps: ReadDeps,
  {
    records,
    blockNumber,
  }: { readonly records: readonly ConcentratedRecord[]; readonly blockNumber: bigint },
): Promise<readonly ConcentratedRecord[]> {
  const call = { abi, functionName: 'globalState' }
  const calls = records.map(({ address }) => readCall(address, call, pluginConfigAt + 1))
  const answers = await readCalls(deps, { calls, blockNumber })
  return records.filter((record, index) => {
    const flags = answers[index]?.[pluginConfigAt]
    if (flags !== undefined && (flags & swapFlags) === 0n) return true
    if (flags !== undefined) deps.decline?.(record)
    return false
  })
}
