import { randomBytes } from 'node:crypto'
import { type Address, bytesToHex, type Hex, isHex, numberToHex, pad } from 'viem'
import type { Generation } from './generation.ts'
import type { StateOverrides } from './rpc/callShapes.ts'

/** What a wallet would set of a candidate's transaction, and when it would be mined. */
export type Disguise = {
  readonly gas: bigint
  readonly gasPriceWei: bigint
  /** 0: as the last transaction of the fork's own block, else so many blocks after it. */
  readonly blocksAhead: number
  readonly blockTimeMs: number
}

/** All of a dry run that a contract can look at, as it would be in a transaction. */
export type Costume = {
  readonly gas: Hex
  readonly gasPriceWei: bigint
  /** Where the code stands that reads balances: another address each time. */
  readonly reader: Address
  /** What the taker has beside what it spends. */
  readonly purseWei: bigint
  readonly blockOverrides: Readonly<Record<string, unknown>>
  readonly overrides: StateOverrides
}

type Header = {
  readonly number: bigint
  readonly hash: Hex
  readonly timestampSecs: bigint
  readonly baseFeeWei: bigint
  readonly gasLimit: Hex
  readonly miner: Hex
  readonly mixHash: Hex
}

/** A chain whose last block is older mines when somebody asks it to: at that moment. */
const quietAfterSecs = 30n
/** EIP-2935: every block writes the hash of the one before it there, in a ring. */
const history: Address = '0x0000F90827F1C53a10cb7A02335B175320002935'
const historyLength = 8_191n
const gwei = 10n ** 9n

const headers = new WeakMap<Generation, Promise<Header | undefined>>()

/** Undefined where the fork does not tell of its block. */
export async function makeCostume(
  generation: Generation,
  { disguise, nowSecs, timeoutMs }: { disguise: Disguise; nowSecs: bigint; timeoutMs: number },
): Promise<Costume | undefined> {
  const reading = headers.get(generation) ?? readHeader(generation, timeoutMs)
  headers.set(generation, reading)
  const header = await reading
  if (!header) return undefined
  const { gasPriceWei, gas } = disguise
  // Nobody's transaction is mined below the base fee.
  const least = header.baseFeeWei + header.baseFeeWei / 16n + 1n
  return {
    gas: numberToHex(gas),
    gasPriceWei: gasPriceWei > least ? gasPriceWei : least,
    reader: randomAddress(),
    purseWei: 20_000_000n * gwei + randomBelow(3_000_000_000n * gwei),
    // Where precompiles have stand-ins, `block.number` is another chain's.
    ...dateBlock(header, { disguise, nowSecs, isNumbered: isEmpty(generation.overrides) }),
  }
}

const isEmpty = (overrides: StateOverrides) => Object.keys(overrides).length === 0

/** An address that nothing ever happened to, and nobody can know beforehand. */
export const randomAddress = (): Address => bytesToHex(randomBytes(20))

/** Up to 2^64; which number it is nobody can know beforehand. */
export function randomBelow(end: bigint): bigint {
  return end <= 0n ? 0n : randomBytes(8).readBigUInt64LE() % end
}

/** The block of the dry run: the fork's own to the last field, or one that follows it. */
function dateBlock(
  header: Header,
  { disguise, nowSecs, isNumbered }: { disguise: Disguise; nowSecs: bigint; isNumbered: boolean },
): Pick<Costume, 'blockOverrides' | 'overrides'> {
  const { blocksAhead, blockTimeMs } = disguise
  const isQuiet = nowSecs > header.timestampSecs + quietAfterSecs
  const from = isQuiet ? nowSecs : header.timestampSecs
  const aheadSecs = BigInt(Math.ceil((blocksAhead * blockTimeMs) / 1_000))
  const blockOverrides = {
    time: numberToHex(from + aheadSecs),
    baseFeePerGas: numberToHex(header.baseFeeWei),
    gasLimit: header.gasLimit,
    feeRecipient: header.miner,
    prevRandao: header.mixHash,
  }
  if (blocksAhead === 0 || !isNumbered) return { blockOverrides, overrides: {} }
  const between = Array.from({ length: blocksAhead - 1 }, (_, k) => ({
    number: header.number + BigInt(k + 1),
    hash: bytesToHex(randomBytes(32)),
  }))
  const known = [{ number: header.number, hash: header.hash }, ...between]
  return {
    blockOverrides: {
      ...blockOverrides,
      number: numberToHex(header.number + BigInt(blocksAhead)),
      blockHash: Object.fromEntries(between.map(({ number, hash }) => [String(number), hash])),
    },
    overrides: {
      [history]: {
        stateDiff: Object.fromEntries(
          known.map(({ number, hash }) => [
            numberToHex(number % historyLength, { size: 32 }),
            hash,
          ]),
        ),
      },
    },
  }
}

async function readHeader(generation: Generation, timeoutMs: number): Promise<Header | undefined> {
  const call = { method: 'eth_getBlockByNumber', params: ['latest', false] }
  const [outcome] = await generation.fork.rpc.batch([call], { timeoutMs }).catch(() => [])
  const block = outcome?.ok ? (outcome.result as Record<string, unknown> | null) : null
  const field = (name: string) => {
    const value = block?.[name]
    return isHex(value) ? value : undefined
  }
  const [hash, gasLimit, miner] = [field('hash'), field('gasLimit'), field('miner')]
  if (!hash || !gasLimit || !miner) {
    headers.delete(generation)
    return undefined
  }
  return {
    hash,
    gasLimit,
    miner,
    number: generation.blockNumber,
    timestampSecs: generation.timestampSecs,
    baseFeeWei: BigInt(field('baseFeePerGas') ?? 0),
    mixHash: pad(field('mixHash') ?? '0x', { size: 32 }),
  }
}
