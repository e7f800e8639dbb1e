import type { Address, Hex } from 'viem'
import { estimateGas, getBlock } from 'viem/actions'
import { getChain } from '../chain/chains.ts'
import { readL1Fee } from '../chain/readL1Fee.ts'
import type { Fill, FillBook, Nonces, StoredFill } from '../store/nonces.ts'
import type { BookClock } from './bookClock.ts'
import { bumpFee } from './bumpFee.ts'
import type { FillSigner } from './fillSigner.ts'
import { type NonceChain, proveUsed } from './proveNonce.ts'
import { type Attempt, type Ready, signAndReserve } from './signAndReserve.ts'

/** What fills may cost: each one, and together with the deployments of the hour. */
export type FillLimits = { readonly maxFeeWei: bigint; readonly maxSpendPerHourWei: bigint }

export type FillEvent =
  /** Nothing that was signed above `nonce` can be mined until it is filled. */
  | { readonly kind: 'nonce_gap'; readonly nonce: number }
  | { readonly kind: 'nonce_filled'; readonly nonce: number; readonly hash: Hex }
  /** The caps stand in the way; it is tried again. */
  | { readonly kind: 'fill_blocked'; readonly nonce: number }

export type FillDeps = {
  readonly nonces: Nonces
  readonly chain: NonceChain & { readonly chainId: number }
  readonly signer: FillSigner
  readonly limits: FillLimits
  readonly clock: BookClock
  readonly observe: (event: FillEvent) => void
  readonly send: (bytes: { readonly hash: Hex; readonly raw: Hex }) => Promise<void>
  /** Kept from pass to pass: what was missing in the last one, since one node may lag for a moment. */
  readonly memory: { missing: readonly number[] }
}

const windowMs = 3_600_000
const maxFillsPerHour = 60
/** Unmined after this: the same nonce again at a higher price. */
const stuckAfterMs = 60_000
const tipWei = 1_000_000n

/**
 * One pass: sends what fills are unmined, raises what is stuck, and fills nonces that the chain waits for and
 * nothing of ours uses, once two passes have found them missing. A node says that the chain has seen all nonces
 * below `claimed`.
 */
export async function fillNonces(deps: FillDeps, claimed: number): Promise<void> {
  const { nonces, chain, signer, observe, memory } = deps
  const { chainId } = chain
  const { address } = signer
  const known = { chainId, signer: address, from: claimed }
  const fills = await nonces.listFills(known)
  const found = await nonces.missingNonces(known)
  const isIdle = fills.length === 0 && found.length === 0
  const used = isIdle ? claimed : await proveUsed(chain, { signer: address, claimed })
  for (const fill of fills.filter(({ nonce }) => nonce >= used))
    await (isStuck(deps, fill) ? sign(deps, { nonce: fill.nonce, last: fill }) : deps.send(fill))
  const missing = found.filter((nonce) => nonce >= used)
  const confirmed = missing.filter((nonce) => memory.missing.includes(nonce))
  memory.missing = missing
  const [lowest] = missing
  if (lowest !== undefined) observe({ kind: 'nonce_gap', nonce: lowest })
  for (const nonce of confirmed) if (!(await sign(deps, { nonce }))) return
}

const isStuck = ({ clock }: FillDeps, { signedAtMs }: StoredFill) =>
  clock.now() - signedAtMs >= stuckAfterMs

/** Whether it is filled, by this process or another. */
async function sign(
  deps: FillDeps,
  { nonce, last }: { readonly nonce: number; readonly last?: StoredFill | undefined },
): Promise<boolean> {
  const { nonces, chain, signer, clock, observe, send } = deps
  const { chainId } = chain
  const { address } = signer
  const { timestampMs, ...prices } = await readPrices(deps.chain, address)
  const judge = (book: FillBook, ready: Ready<Fill> | undefined): Judged => {
    clock.saw(book.nowMs)
    const order = { nonce, ...raise(prices, book.previous) }
    const reservedWei = order.gasLimit * order.maxFeePerGasWei + prices.l1FeeWei
    if (!mayCost(deps.limits, { book, reservedWei })) return { value: undefined }
    const id = [nonce, order.maxFeePerGasWei, order.maxPriorityFeePerGasWei].join()
    if (ready?.id !== id) return { wish: { id, order } }
    return { value: { fill: ready.signed, reservedWei } }
  }
  const request = { chainId, signer: address, nonce, windowMs, replaces: last?.signedAtMs }
  const filled = await signAndReserve<Order, Fill, StoredFill | undefined>(signer.turns, {
    async reserve(ready) {
      let judged: Judged | undefined
      const time = await clock.read(async () => timestampMs)
      const kept = await nonces.fill({ ...request, ...time }, (book) => {
        judged = judge(book, ready)
        return 'value' in judged ? judged.value : undefined
      })
      return judged && 'wish' in judged ? judged : { value: kept }
    },
    async sign({ gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei }) {
      const signed = { gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei }
      return { ...(await signer.signFill({ nonce, ...signed })), ...signed }
    },
  })
  if (filled) {
    observe({ kind: 'nonce_filled', nonce, hash: filled.hash })
    await send(filled)
  } else observe({ kind: 'fill_blocked', nonce })
  return filled !== undefined
}

type Prices = Omit<Fill, 'hash' | 'raw'>
type Order = Prices & { readonly nonce: number }
type Judged = Attempt<Order, { readonly fill: Fill; readonly reservedWei: bigint } | undefined>

async function readPrices({ client, chainId }: FillDeps['chain'], address: Address) {
  const call = { account: address, to: address, value: 0n, data: '0x' } as const
  const isOpStack = getChain(chainId)?.l1Fee === 'opStack'
  const [block, gas, l1FeeWei] = await Promise.all([
    getBlock(client, { blockTag: 'latest' }),
    estimateGas(client, call),
    isOpStack ? readL1Fee(client, { to: address, data: '0x' }) : 0n,
  ])
  return {
    timestampMs: Number(block.timestamp) * 1_000,
    gasLimit: (gas * 12n) / 10n,
    maxFeePerGasWei: 2n * (block.baseFeePerGas ?? 0n) + tipWei,
    maxPriorityFeePerGasWei: tipWei,
    l1FeeWei,
  }
}

/** What was signed for the nonce before gives way only to an eighth more. */
function raise(prices: Prices, previous: FillBook['previous']): Prices {
  if (!previous) return prices
  const { gasLimit, maxFeePerGasWei: fee, maxPriorityFeePerGasWei: tip } = prices
  return {
    gasLimit,
    maxFeePerGasWei: higherOf(fee, bumpFee(previous.maxFeePerGasWei)),
    maxPriorityFeePerGasWei: higherOf(tip, bumpFee(previous.maxPriorityFeePerGasWei)),
  }
}

const higherOf = (one: bigint, other: bigint) => (one > other ? one : other)

const mayCost = (
  { maxFeeWei, maxSpendPerHourWei }: FillLimits,
  { book, reservedWei }: { readonly book: FillBook; readonly reservedWei: bigint },
) =>
  reservedWei <= maxFeeWei &&
  book.spendWei + reservedWei <= maxSpendPerHourWei &&
  book.fillsInWindow < maxFillsPerHour
