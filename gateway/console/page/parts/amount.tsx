import { toExact, toHuman } from '../state/amounts.ts'

/** An amount for people, with every digit and the raw value for who looks closer. */
export function Amount({
  raw,
  decimals,
  symbol,
}: {
  readonly raw: bigint | string
  readonly decimals: number
  readonly symbol: string
}) {
  const amount = BigInt(raw)
  return (
    <span class="figure" title={`${toExact(amount, decimals)} ${symbol}, raw ${amount}`}>
      {toHuman(amount, decimals)} {symbol}
    </span>
  )
}
