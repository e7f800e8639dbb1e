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
  /** How many tokens have been measured: what was computed at another number may be out of date. */
  measured(): number
  /** Measures what is not known yet. Returns whether any of the tokens is taxed. */
  measure(tokens: readonly TokenSample[]): Promise<boolean>
}

/** `amount` is large against the token's smallest unit and small against its supply. */
export type TokenSample = { readonly address: Address; readonly amount: bigint }

/** Nobody's address: receives the simulated transfers. */
const receiver: Address = '0x00000000000000000000000000000000f0fa7a70'
/** A plain ERC-20's transfer to a new holder, transaction included, as a fork measures it. */
const plainTransferGas = 46_400
const retryAfterMs = 30_000

/** `transfer(receiver, amount)` */
function encodeTransfer(amount: bigint): `0x${string}` {
  const words = [BigInt(receiver), amount].map((word) => word.toString(16).padStart(64, '0'))
  return `0xa9059cbb${words.join('')}`
}

export function createTaxBook({
  chainId,
  simulator,
  now = () => performance.now(),
}: {
  readonly chainId: number
  readonly simulator: Simulator | undefined
  readonly now?: (() => number) | undefined
}): TaxBook {
  const taxes = new Map<string, number>()
  const extraGas = new Map<string, number>()
  const triedAtMs = new Map<string, number>()
  const running = new Map<string, Promise<void>>()

  async function simulate(samples: readonly TokenSample[]): Promise<void> {
    if (!simulator) return
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
    for (const [index, { address, amount }] of samples.entries()) {
      const result = results[index]
      if (result?.status !== 'ok') continue
      taxes.set(address.toLowerCase(), toTaxBps(amount, result.amountOut))
      extraGas.set(address.toLowerCase(), Math.max(0, Number(result.gasUsed) - plainTransferGas))
    }
  }

  return {
    get: (token) => taxes.get(token),
    measured: () => taxes.size,
    extraTransferGas: (token) => extraGas.get(token) ?? 0,
    async measure(tokens) {
      const wanted = tokens.filter(({ address }) => {
        const token = address.toLowerCase()
        const triedMs = triedAtMs.get(token) ?? Number.NEGATIVE_INFINITY
        return !taxes.has(token) && !running.has(token) && now() - triedMs > retryAfterMs
      })
      if (wanted.length > 0) {
        // An outage of the simulator leaves the tokens unmeasured; they are tried again later.
        const work = simulate(wanted).catch((error: unknown) => {
          if (!(error instanceof SimulatorUnavailable)) throw error
        })
        for (const { address } of wanted) running.set(address.toLowerCase(), work)
        const forget = () => {
          for (const { address } of wanted) running.delete(address.toLowerCase())
        }
        work.then(forget, forget)
      }
      await Promise.all(tokens.map(({ address }) => running.get(address.toLowerCase())))
      return tokens.some(({ address }) => (taxes.get(address.toLowerCase()) ?? 0) > 0)
    },
  }
}

/** Rounded to the nearest basis point: a rebasing token's lost wei is no tax. */
function toTaxBps(sent: bigint, received: bigint): number {
  if (received >= sent) return 0
  return Number(((sent - received) * wholeBps + sent / 2n) / sent)
}
