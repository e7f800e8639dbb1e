import { type Address, concat, pad, toHex } from 'viem'
import type { AccessChain, AccessDeps, QuotaContract, Settlement } from '../sale/accessConfig.ts'
import { type PaymentRequirement, toOffer } from '../sale/paymentRequired.ts'
import { encodeTransfer } from './eip3009.ts'
import {
  capWindowMs,
  judgeSettlement,
  type PriceFacts,
  readPrice,
  settlementPrices,
} from './priceSettlement.ts'
import { settlementClock } from './settlementClock.ts'

/** Who would pay: the calling key and its wallet; nobody in particular for the public document. */
export type Buyer = { readonly keyId: string; readonly wallet?: Address | undefined }

const nobody: Buyer = { keyId: '' }
const freshForMs = 2_000
/** Gas of a usual settlement, an ordinary account's. */
const usualGas = 80_000n

type Reading = { readonly atMs: number; readonly facts: Promise<PriceFacts | undefined> }
const readings = new WeakMap<Settlement['signer'], Reading>()

/**
 * What we sell now. `exact` only where a payment of this buyer would be settled now: an official client signs
 * for it, and what it has signed for nothing is money that somebody else may still move.
 */
export function readOffers(
  deps: AccessDeps,
  buyer: Buyer = nobody,
): Promise<readonly PaymentRequirement[]> {
  const { config } = deps
  return Promise.all(
    config.contracts.map(async (contract) =>
      toOffer(config, { contract, isSettled: await wouldSettle(deps, { contract, buyer }) }),
    ),
  )
}

async function wouldSettle(
  deps: AccessDeps,
  { contract, buyer }: { readonly contract: QuotaContract; readonly buyer: Buyer },
): Promise<boolean> {
  const { store, chains, config } = deps
  const { chainId, settlement } = contract
  const chain = chains.find((each) => each.chainId === chainId)
  if (!settlement || !chain) return false
  const { signer, limits } = settlement
  // Older than the head by which it judges its machine.
  const clock = settlementClock(deps, signer)
  const facts = await readFacts({ chain, contract, signer })
  if (!facts) return false
  const time = await clock.read(async () => facts.timestampMs)
  const book = await store.settlements.readBook({
    chainId,
    signer: signer.address,
    chainNonce: facts.nonce,
    windowMs: capWindowMs,
    ...time,
    party: { keyId: buyer.keyId, payer: buyer.wallet, payerCode: undefined },
  })
  const prices = settlementPrices({ gas: usualGas, facts })
  const packAmount = BigInt(config.packQuotes) * config.amountPerQuote
  return judgeSettlement(limits, { prices, facts, book, packAmount }) === undefined
}

/** Shared by all who ask within two seconds. */
function readFacts({
  chain,
  contract,
  signer,
}: {
  readonly chain: AccessChain
  readonly contract: QuotaContract
  readonly signer: Settlement['signer']
}): Promise<PriceFacts | undefined> {
  const known = readings.get(signer)
  if (known && performance.now() - known.atMs < freshForMs) return known.facts
  const calldata = sampleOf(contract)
  const facts = readPrice(chain, { signer, calldata }).catch(() => undefined)
  readings.set(signer, { atMs: performance.now(), facts })
  return facts
}

/** As long as a real one, without zero bytes that would make it cheaper. */
function sampleOf({ address, token }: QuotaContract) {
  const word = pad(token.address, { size: 32 })
  const signature = concat([word, word, toHex(27, { size: 1 })])
  const times = { validAfter: 0n, validBefore: 2n ** 40n }
  return encodeTransfer({
    from: token.address,
    to: address,
    value: 100_000n,
    ...times,
    nonce: word,
    signature,
  })
}
