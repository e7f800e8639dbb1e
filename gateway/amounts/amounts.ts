/** The whole in basis points. */
export const wholeBps = 10_000n

/** `amount` less `bps`, rounded down. */
export const lessBps = (amount: bigint, bps: number | bigint): bigint =>
  (amount * (wholeBps - BigInt(bps))) / wholeBps

/** `amount` and `bps` more, rounded up. */
export const moreBps = (amount: bigint, bps: number | bigint): bigint =>
  (amount * (wholeBps + BigInt(bps)) + wholeBps - 1n) / wholeBps

export const lesser = (one: bigint, other: bigint): bigint => (one < other ? one : other)
export const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** What is missing or saved below this part of an amount is as good as nothing. */
export const negligiblePart = 1_000_000n
