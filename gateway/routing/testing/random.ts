/** A repeatable stream of random numbers and choices. */
export type Random = {
  /** From 0 to 1, without 1. */
  unit(): number
  chance(probability: number): boolean
  pick<item>(items: readonly item[]): item
  below(end: number): number
  /** A whole number from 1 to `max`, evenly spread over the orders of magnitude. */
  magnitude(max: bigint): bigint
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  // mulberry32
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(unit() * end)
  return {
    unit,
    below,
    chance: (probability) => unit() < probability,
    pick(items) {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
    magnitude(max) {
      const digits = max.toString(2).length
      const bits = unit() * digits
      const whole = Math.floor(bits)
      const part = BigInt(Math.floor(2 ** (bits - whole) * 2 ** 30))
      const amount = (part << BigInt(whole)) >> 30n
      return amount < 1n ? 1n : amount > max ? max : amount
    },
  }
}
