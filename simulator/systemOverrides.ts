import {
  type Address,
  concat,
  type Hex,
  isHex,
  numberToHex,
  pad,
  size,
  slice,
  toFunctionSelector,
  toHex,
} from 'viem'
import type { ForkSettings } from './forkSettings.ts'
import type { StateOverrides } from './rpc/callShapes.ts'
import type { RpcCall } from './rpc/rpcBatch.ts'
import { toTag, type Upstream } from './upstream.ts'

type Precompiles = NonNullable<ForkSettings['precompiles']>

/** Precompiles of a chain that anvil does not have, and what of them contracts read. */
type SystemContract = { readonly address: Address; readonly signatures: readonly string[] }

const arbSys: SystemContract = {
  address: '0x0000000000000000000000000000000000000064',
  signatures: [
    'arbBlockNumber()',
    'arbChainID()',
    'arbOSVersion()',
    'isTopLevelCall()',
    'getStorageGasAvailable()',
  ],
}
const arbGasInfo: SystemContract = {
  address: '0x000000000000000000000000000000000000006c',
  signatures: [
    'getPricesInWei()',
    'getPricesInArbGas()',
    'getMinimumGasPrice()',
    'getL1BaseFeeEstimate()',
    'getL1GasPriceEstimate()',
    'getCurrentTxL1GasFees()',
    'getGasAccountingParams()',
  ],
}
/** Of these nothing is known that could be repeated. */
const others: readonly SystemContract[] = [
  '65',
  '66',
  '67',
  '68',
  '69',
  '6b',
  '6d',
  '6e',
  '6f',
  '70',
  '71',
  '72',
  '73',
  'ff',
].map((last) => ({ address: `0x${last.padStart(40, '0')}`, signatures: [] }))
const systemContracts: Readonly<Record<Precompiles, readonly SystemContract[]>> = {
  arbOs: [arbSys, arbGasInfo, ...others],
}
/** What a stand-in reverts with that has no answer; callers mostly pass it on. */
export const unsupportedMark = toFunctionSelector('UnsupportedPrecompile()')

/**
 * Code for the chain's own precompiles, which a fork lacks: it answers as the real chain answers at
 * that block. A chain that has real code in their place (the offline world) keeps it.
 */
export async function readSystemOverrides(
  upstream: Pick<Upstream, 'send'>,
  {
    chainId,
    blockNumber,
    precompiles,
  }: { chainId: number; blockNumber: bigint; precompiles: Precompiles | undefined },
): Promise<StateOverrides> {
  const tag = toTag(blockNumber)
  const contracts = precompiles === undefined ? [] : systemContracts[precompiles]
  const asked = contracts.map(({ address, signatures }) => {
    const selectors = signatures.map((signature) => toFunctionSelector(signature))
    const calls: readonly RpcCall[] = [
      { method: 'eth_getCode', params: [address, tag] },
      ...selectors.map((data) => ({ method: 'eth_call', params: [{ to: address, data }, tag] })),
    ]
    return { address, selectors, calls }
  })
  if (asked.length === 0) return {}
  const outcomes = [...(await upstream.send(asked.flatMap(({ calls }) => calls)))]
  const overrides: StateOverrides = {}
  for (const { address, selectors, calls } of asked) {
    const [code, ...answered] = outcomes.splice(0, calls.length)
    if (!code?.ok || !isPrecompile(code.result, selectors)) continue
    const answers = new Map<Hex, Hex>()
    for (const [index, selector] of selectors.entries()) {
      const outcome = answered[index]
      if (outcome?.ok && isHex(outcome.result)) answers.set(selector, outcome.result)
    }
    if (address === arbSys.address) {
      answers.set(toFunctionSelector('arbBlockNumber()'), numberToHex(blockNumber, { size: 32 }))
      answers.set(toFunctionSelector('arbChainID()'), numberToHex(chainId, { size: 32 }))
    }
    overrides[address] = { code: assembleAnswers(answers) }
  }
  return overrides
}

/** The real chain shows 0xfe as the code; one that shows none may need those that contracts read. */
const isPrecompile = (code: unknown, selectors: readonly Hex[]) =>
  code === '0xfe' || (code === '0x' && selectors.length > 0)

/** EVM code that answers each selector with fixed words, and reverts with the mark on all others. */
export function assembleAnswers(answers: ReadonlyMap<Hex, Hex>): Hex {
  const entries = [...answers].filter(([, words]) => size(words) > 0 && size(words) % 32 === 0)
  // PUSH0 CALLDATALOAD PUSH1 e0 SHR, then per entry: DUP1 PUSH4 selector EQ PUSH2 target JUMPI; last
  // PUSH4 mark PUSH0 MSTORE PUSH1 4 PUSH1 28 REVERT
  const head: Hex = '0x5f3560e01c'
  const tail = concat(['0x63', unsupportedMark, '0x5f526004601cfd'])
  let target = size(head) + entries.length * 11 + size(tail)
  const jumps: Hex[] = []
  const bodies: Hex[] = []
  for (const [selector, words] of entries) {
    const body = assembleReturn(words)
    jumps.push(concat(['0x8063', selector, '0x1461', toHex(target, { size: 2 }), '0x57']))
    bodies.push(body)
    target += size(body)
  }
  return concat([head, ...jumps, tail, ...bodies])
}

/** JUMPDEST, per word: PUSH32 word PUSH2 at MSTORE; PUSH2 length PUSH0 RETURN. */
function assembleReturn(words: Hex): Hex {
  const count = size(words) / 32
  const stores = Array.from({ length: count }, (_, index) => {
    const word = pad(slice(words, 32 * index, 32 * index + 32), { size: 32 })
    return concat(['0x7f', word, '0x61', toHex(32 * index, { size: 2 }), '0x52'])
  })
  return concat(['0x5b', ...stores, '0x61', toHex(32 * count, { size: 2 }), '0x5ff3'])
}
