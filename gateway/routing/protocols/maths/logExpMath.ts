import { divUp, uint } from './checkedUint.ts'
import { mulUp, one18 } from './fixedPoint18.ts'

const one20 = 10n ** 20n
const one36 = 10n ** 36n
/** Within this distance of 1 (not included) the logarithm has 36 digits. */
const nearOne = one18 / 10n
const leastExponent = -41n * one18
const greatestExponent = 130n * one18
const exponentEnd = 2n ** 254n / one20

type Power = readonly [exponent: bigint, value: bigint]

/** e^128 and e^64 without decimals; exponents with 18 decimals. */
const greatPowers: readonly Power[] = [
  [128n * one18, 38877084059945950922200000000000000000000000000000000000n],
  [64n * one18, 6235149080811616882910000000n],
]
/** e^32, e^16 ... e^(1/16), exponents and values with 20 decimals. */
const powers: readonly Power[] = [
  [32n * one20, 7896296018268069516100000000000000n],
  [16n * one20, 888611052050787263676000000n],
  [8n * one20, 298095798704172827474000n],
  [4n * one20, 5459815003314423907810n],
  [2n * one20, 738905609893065022723n],
  [one20, 271828182845904523536n],
  [one20 / 2n, 164872127070012814685n],
  [one20 / 4n, 128402541668774148407n],
  [one20 / 8n, 113314845306682631683n],
  [one20 / 16n, 106449445891785942956n],
]
/** The exponential stops at e^(1/4): its series covers the rest. */
const expPowers = powers.slice(0, 8)

/** e^x, 18 decimals. */
function exp(exponent: bigint): bigint {
  if (exponent < leastExponent || exponent > greatestExponent)
    throw new RangeError('exponent out of bounds')
  if (exponent < 0n) return (one18 * one18) / exp(-exponent)
  let x = exponent
  let first = 1n
  const great = greatPowers.find(([power]) => x >= power)
  if (great) {
    x -= great[0]
    first = great[1]
  }
  x *= 100n
  let product = one20
  for (const [power, value] of expPowers) {
    if (x < power) continue
    x -= power
    product = (product * value) / one20
  }
  let term = x
  let sum = one20 + term
  for (let n = 2n; n <= 12n; n++) {
    term = (term * x) / one20 / n
    sum += term
  }
  return (((product * sum) / one20) * first) / 100n
}

/** 2 artanh(z): z + z^3 / 3 + ... up to `last`, times 2; divisions truncate towards zero. */
function doubleArtanh(z: bigint, { one, last }: { one: bigint; last: bigint }): bigint {
  const squared = (z * z) / one
  let term = z
  let sum = z
  for (let n = 3n; n <= last; n += 2n) {
    term = (term * squared) / one
    sum += term / n
  }
  return sum * 2n
}

/** ln(a), 18 decimals. */
function ln(value: bigint): bigint {
  if (value < one18) return -ln((one18 * one18) / value)
  let a = value
  let sum = 0n
  for (const [power, factor] of greatPowers) {
    if (a < factor * one18) continue
    a /= factor
    sum += power
  }
  sum *= 100n
  a *= 100n
  for (const [power, factor] of powers) {
    if (a < factor) continue
    a = (a * one20) / factor
    sum += power
  }
  const z = ((a - one20) * one20) / (a + one20)
  return (sum + doubleArtanh(z, { one: one20, last: 11n })) / 100n
}

/** ln(x) with 36 decimals, for x near 1. */
function ln36(value: bigint): bigint {
  const x = value * one18
  const z = ((x - one36) * one36) / (x + one36)
  return doubleArtanh(z, { one: one36, last: 15n })
}

/** x^y, 18 decimals, with an unspecified rounding. */
function pow(x: bigint, y: bigint): bigint {
  if (y === 0n) return one18
  if (x === 0n) return 0n
  if (x >> 255n !== 0n || y >= exponentEnd) throw new RangeError('power out of bounds')
  if (x > one18 - nearOne && x < one18 + nearOne) {
    const logarithm = ln36(x)
    return exp(((logarithm / one18) * y + ((logarithm % one18) * y) / one18) / one18)
  }
  return exp((ln(x) * y) / one18)
}

/** x^y rounded up: small whole exponents exactly, else by an error margin of 1e-14. */
export function powUp(x: bigint, y: bigint): bigint {
  if (y === one18) return x
  if (y === 2n * one18) return mulUp(x, x)
  if (y === 4n * one18) {
    const squared = mulUp(x, x)
    return mulUp(squared, squared)
  }
  return powUpPlain(x, y)
}

/** x^y rounded up by an error margin of 1e-14, whatever the exponent. */
export function powUpPlain(x: bigint, y: bigint): bigint {
  const raw = pow(x, y)
  return uint(raw + divUp(raw * 10_000n, one18) + 1n)
}
