import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'
import type { Simulator } from '../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../simulator/simulatorUnavailable.ts'
import { wholeBps } from '../amounts/amounts.ts'

/**
 * Fee-on-transfer taxes, measured once per token by a simulated transfer. A token whose transfer
 * cannot be simulated counts as untaxed: quotes of it are right for standard tokens, and `verify`
 * tells for the others.
 */
export type TaxBook = {
  /** Part of each transfer that does not arrive, in basis points; undefined until measured. */
  get(token: string): number | undefined
  /** Gas of a transfer of the token above that of a plain ERC-20; 0 until measured. */
  extraTransferGas(token: string): number
  /** How many measurements there were: what was computed at another number may be out of date. */
  measured(): number
  /** Measures what is not known yet. Returns whether any of the tokens is taxed. */
  measure(tokens: readonly TokenSample[]): Promise<boolean>
  /** Whether the token was last measured, or tried to be, so long ago that it may be another by now. */
  isOld(token: string): boolean
  /** Measures what is known anew. Returns the tokens whose tax is another now. */
  remeasure(tokens: readonly TokenSample[]): Promise<readonly Address[]>
}

export type TokenSample = { readonly address: Address; readonly amount: bigint }

/** An amount that is large against the token's smallest unit and small against its supply. */
export const sampleOf = ({
  address,
  decimals,
}: {
  readonly address: Address
  readonly decimals: number
}): TokenSample => ({ address, amount: 100n * 10n ** BigInt(decimals) })

type Measured = { readonly taxBps: number; readonly extraGas: number }

/** Nobody's address: receives the simulated transfers. */
const receiver: Address = '0x00000000000000000000000000000000f0fa7a70'
/** A plain ERC-20's transfer to a new holder, transaction included, as a fork measures it. */
const plainTransferGas = 46_400
const retryAfterMs = 30_000
/** A token's owner may change its tax at any time. */
const oldMs = 300_000
/** Several times what a market holds: of tokens that strangers make there is no end. */
const usuallyKept = 65_536

/** `transfer(receiver, amount)` */
function encodeTransfer(amount: bigint): `0x${string}` {
  const words = [BigInt(receiver), amount].map((word) => word.toString(16).padStart(64, '0'))
  return `0xa9059cbb${words.join('')}`
}

export function createTaxBook({
  chainId,
  simulator,
  mostKept = usuallyKept,
  now = () => performance.now(),
}: {
  readonly chainId: number
  readonly simulator: Simulator | undefined
  /** Beyond it the tokens are forgotten that nobody looked at for longest: they are measured again. */
  readonly mostKept?: number | undefined
  readonly now?: (() => number) | undefined
}): TaxBook {
  const known = new LRUCache<string, Measured>({ max: mostKept })
  const triedAtMs = new LRUCache<string, number>({ max: mostKept })
  let measurements = 0
  const running = new Map<string, Promise<readonly Address[]>>()

  /** Returns the tokens whose tax was not known. */
  async function simulate(samples: readonly TokenSample[]): Promise<readonly Address[]> {
    if (!simulator) return []
    for (const { address } of samples) triedAtMs.set(address.toLowerCase(), now())
    const candidates = samples.map(({ address, amount }) => ({
      target: address,
      data: encodeTransfer(amount),
      value: 0n,
      tokenIn: address,
      tokenOut: address,
      amountIn: amount,
      spender: undefined,
      recipient: receiver,
    }))
    const { results } = await simulator.simulateCandidates({ chainId, candidates })
    return samples
      .filter(({ address, amount }, index) => {
        const result = results[index]
        return result?.status === 'ok' && learn(address, { amount, result })
      })
      .map(({ address }) => address)
  }
  /** Whether this tax was not known. */
  function learn(
    address: Address,
    {
      amount,
      result: { amountOut, gasUsed },
    }: {
      readonly amount: bigint
      readonly result: { readonly amountOut: bigint; readonly gasUsed: bigint }
    },
  ): boolean {
    const token = address.toLowerCase()
    const taxBps = toTaxBps(amount, amountOut)
    const extraGas = Math.max(0, Number(gasUsed) - plainTransferGas)
    const before = known.get(token)
    if (before?.taxBps === taxBps && before.extraGas === extraGas) return false
    known.set(token, { taxBps, extraGas })
    measurements += 1
    return before?.taxBps !== taxBps
  }

  return {
    get: (token) => known.get(token)?.taxBps,
    measured: () => measurements,
    extraTransferGas: (token) => known.get(token)?.extraGas ?? 0,
    async measure(tokens) {
      const wanted = tokens.filter(({ address }) => {
        const token = address.toLowerCase()
        const triedMs = triedAtMs.get(token) ?? Number.NEGATIVE_INFINITY
        return !known.has(token) && !running.has(token) && now() - triedMs > retryAfterMs
      })
      if (wanted.length > 0) {
        // An outage of the simulator leaves the tokens unmeasured; they are tried again later.
        const work = simulate(wanted).catch(unlessUnavailable)
        for (const { address } of wanted) running.set(address.toLowerCase(), work)
        const forget = () => {
          for (const { address } of wanted) running.delete(address.toLowerCase())
        }
        work.then(forget, forget)
      }
      await Promise.all(tokens.map(({ address }) => running.get(address.toLowerCase())))
      return tokens.some(({ address }) => (known.get(address.toLowerCase())?.taxBps ?? 0) > 0)
    },
    isOld: (token) => now() - (triedAtMs.get(token.toLowerCase()) ?? now()) >= oldMs,
    remeasure: (tokens) => simulate(tokens).catch(unlessUnavailable),
  }
}

/** For the next try to find out. */
function unlessUnavailable(error: unknown): readonly Address[] {
  if (!(error instanceof SimulatorUnavailable)) throw error
  return []
}

/** Rounded to the nearest basis point: a rebasing token's lost wei is no tax. */
function toTaxBps(sent: bigint, received: bigint): number {
  if (received >= sent) return 0
  return Number(((sent - received) * wholeBps + sent / 2n) / sent)
}
