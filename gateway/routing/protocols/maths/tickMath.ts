export const minTick = -887272
export const maxTick = 887272
export const minSqrtRatioX96 = 4295128739n
export const maxSqrtRatioX96 = 1461446703485210103287273052203988822378723970342n

/** sqrt(1.0001 ^ -(2 ^ k)) as Q128.128, k = 0…19. */
const factorsX128 = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
]
const known = new Map<number, bigint>()
const maxKnown = 300_000

/** Square root of the price at a tick, rounded up as TickMath.getSqrtRatioAtTick does. */
export function sqrtRatioAtTick(tick: number): bigint {
  const cached = known.get(tick)
  if (cached !== undefined) return cached
  if (known.size >= maxKnown) known.clear()
  const ratio = computeSqrtRatio(tick)
  known.set(tick, ratio)
  return ratio
}

function computeSqrtRatio(tick: number): bigint {
  const distance = Math.abs(tick)
  let ratioX128 = 1n << 128n
  for (let k = 0; k < factorsX128.length; k++)
    if ((distance >> k) & 1) ratioX128 = (ratioX128 * (factorsX128[k] as bigint)) >> 128n
  if (tick > 0) ratioX128 = ((1n << 256n) - 1n) / ratioX128
  return (ratioX128 + (1n << 32n) - 1n) >> 32n
}

/** Greatest tick whose square root ratio is at most `sqrtPriceX96`, as TickMath.getTickAtSqrtRatio. */
export function tickAtSqrtRatio(sqrtPriceX96: bigint): number {
  const guess = Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / Math.log(1.0001))
  let tick = Math.max(minTick, Math.min(maxTick, guess))
  while (tick < maxTick && computeSqrtRatio(tick + 1) <= sqrtPriceX96) tick++
  while (tick > minTick && computeSqrtRatio(tick) > sqrtPriceX96) tick--
  return tick
}
