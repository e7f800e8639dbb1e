import { type Address, encodeFunctionData, erc20Abi, type Hex, isAddress, isHex, toHex } from 'viem'
import { balanceOfCall, gasOf, simulateParams } from '../rpc/callShapes.ts'
import { readSimulated, readWord, readWordOutcome } from '../rpc/readSimulated.ts'
import type { RpcCall, RpcEndpoint, RpcOutcome } from '../rpc/rpcBatch.ts'
import { type BalanceSlot, findFormula } from './balanceSlot.ts'
import { readSentinel, sentinelWord } from './readSentinel.ts'

export type SlotVerdict =
  | { readonly status: 'found'; readonly slot: BalanceSlot }
  | { readonly status: 'not_found' }
  | { readonly status: 'rpc_error' }

type Place = { readonly contract: Address; readonly key: Hex }

/**
 * Pairs of words, widest first: where doubling the word doubles the balance, the token counts in
 * shares, and the wide word gives the ratio to many digits. Reflection tokens show nothing for small
 * words, others overflow on big ones.
 */
const scaleRungs = [
  { wordUnit: 1n << 250n, widthBits: 256 },
  { wordUnit: 1n << 200n, widthBits: 256 },
  { wordUnit: 1n << 125n, widthBits: 128 },
  { wordUnit: 1n << 70n, widthBits: 128 },
] as const
const scaleWords = scaleRungs.flatMap(({ wordUnit }) => [wordUnit, 2n * wordUnit])
const maxPlaces = 48
const sink: Address = '0x3c9e05f7a1b84d26e07c5a9f12d8b46370e1fa5d'

/**
 * Finds where `token` keeps `holder`'s balance, in two round trips and without debug methods:
 * the slots that `balanceOf` reads, then what it shows, and whether a transfer goes through, with
 * each of them overridden.
 */
export async function findBalanceSlot(
  { rpc, timeoutMs }: { rpc: RpcEndpoint; timeoutMs: number },
  { token, holder, timeSecs }: { token: Address; holder: Address; timeSecs: bigint },
): Promise<SlotVerdict> {
  const places = await listPlaces({ rpc, timeoutMs }, { token, holder })
  if (places === 'rpc_error') return { status: 'rpc_error' }
  if (places.length === 0) return { status: 'not_found' }
  const calls = places.flatMap((place) => probesOf(place, { token, holder, timeSecs }))
  const answers = await rpc.batch(calls, { timeoutMs })
  const found = places
    .map((place, index) =>
      judge(place, answers.slice(index * probeCount, (index + 1) * probeCount)),
    )
    .filter((candidate) => candidate !== undefined)
    .sort(
      (a, b) =>
        Number(b.isSpendable) - Number(a.isSpendable) || Number(a.isScaled) - Number(b.isScaled),
    )
  const [best] = found
  if (!best) return { status: answers.some(isUpstreamFault) ? 'rpc_error' : 'not_found' }
  return { status: 'found', slot: { ...findFormula(best.key, holder), ...best.shape } }
}

async function listPlaces(
  { rpc, timeoutMs }: { rpc: RpcEndpoint; timeoutMs: number },
  { token, holder }: { token: Address; holder: Address },
): Promise<readonly Place[] | 'rpc_error'> {
  const call = { method: 'eth_createAccessList', params: [balanceOfCall(token, holder), 'latest'] }
  const [outcome] = await rpc.batch([call], { timeoutMs })
  if (!outcome?.ok) return outcome && isUpstreamFault(outcome) ? 'rpc_error' : []
  const list = (outcome.result as { accessList?: unknown } | null)?.accessList
  if (!Array.isArray(list)) return []
  return list
    .flatMap(({ address, storageKeys }: { address?: unknown; storageKeys?: unknown }) =>
      Array.isArray(storageKeys) && typeof address === 'string' && isAddress(address)
        ? storageKeys.filter((key) => isHex(key)).map((key) => ({ contract: address, key }))
        : [],
    )
    .slice(0, maxPlaces)
}

const probeCount = 1 + scaleWords.length

function probesOf(
  { contract, key }: Place,
  { token, holder, timeSecs }: { token: Address; holder: Address; timeSecs: bigint },
): readonly RpcCall[] {
  const balance = balanceOfCall(token, holder)
  const transfer = {
    from: holder,
    to: token,
    gas: toHex(gasOf.balanceRead),
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [sink, 1000n] }),
  }
  const withWord = (word: Hex) => ({ [contract]: { stateDiff: { [key]: word } } })
  const spend: RpcCall = {
    method: 'eth_simulateV1',
    params: simulateParams({
      calls: [balance, transfer, balance],
      stateOverrides: withWord(sentinelWord),
      blockOverrides: { time: toHex(timeSecs) },
    }),
  }
  const scale = scaleWords.map(
    (value): RpcCall => ({
      method: 'eth_call',
      params: [balance, 'latest', withWord(toHex(value, { size: 32 }))],
    }),
  )
  return [spend, ...scale]
}

function judge({ contract, key }: Place, [spend, ...scale]: readonly RpcOutcome[]) {
  const calls = spend && readSimulated(spend, 3)
  const before = readWord(calls?.[0])
  const after = readWord(calls?.[2])
  const isSpendable =
    calls?.[1]?.ok === true && before !== undefined && after !== undefined && after < before
  const field = before === undefined ? undefined : readSentinel(before)
  const units = { wordUnit: 1n, balanceUnit: 1n }
  if (field) return { key, isSpendable, isScaled: false, shape: { contract, ...field, ...units } }
  const shape = judgeScale(scale.map(readWordOutcome))
  return shape && { key, isSpendable, isScaled: true, shape: { contract, ...shape } }
}

/** Rounding of the token itself is allowed for. */
function judgeScale(balances: readonly (bigint | undefined)[]) {
  for (const [index, rung] of scaleRungs.entries()) {
    const single = balances[2 * index]
    if (isDouble(single, balances[2 * index + 1]))
      return { shiftBits: 0, ...rung, balanceUnit: single }
  }
  return undefined
}

function isDouble(single: bigint | undefined, double: bigint | undefined): single is bigint {
  if (single === undefined || double === undefined || single < 1_000_000n) return false
  const off = double - 2n * single
  return off >= -2n && off <= 2n
}

function isUpstreamFault(outcome: RpcOutcome): boolean {
  return !outcome.ok && outcome.message.includes('failed to get')
}
