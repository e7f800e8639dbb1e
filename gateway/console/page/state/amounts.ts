/** A raw amount as a decimal number, every digit of it: `1234.5`. */
export function toExact(raw: bigint, decimals: number): string {
  const digits = String(raw < 0n ? -raw : raw).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${raw < 0n ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`
}

/** A whole number, in thousands. */
export const group = (whole: string | number) => String(whole).replace(/\B(?=(\d{3})+$)/g, ' ')

/** Of a part, as many digits as make six with the whole ones: `0.000123456`, `12.3456`. */
function keepDigits(whole: string, part: string): string {
  if (whole !== '0') return part.slice(0, Math.max(0, 6 - whole.length))
  const zeros = /^0*/.exec(part)?.[0].length ?? 0
  return part.slice(0, zeros + 6)
}

/** For people: at most six digits behind the thousands, and never more than there is, so rounded down. */
export function toHuman(raw: bigint, decimals: number): string {
  if (raw < 0n) return `−${toHuman(ceilAway(-raw, decimals), decimals)}`
  const [whole = '0', part = ''] = toExact(raw, decimals).split('.')
  const kept = keepDigits(whole, part).replace(/0+$/, '')
  return `${group(whole)}${kept === '' ? '' : `.${kept}`}`
}

/** A loss is never shown as less than it is: its size goes up where digits are left out. */
function ceilAway(size: bigint, decimals: number): bigint {
  const [whole = '0', part = ''] = toExact(size, decimals).split('.')
  const unit = 10n ** BigInt(decimals - keepDigits(whole, part).length)
  return ((size + unit - 1n) / unit) * unit
}

/** What a person typed, raw; undefined for what is no amount or has more digits than the token. */
export function parseAmount(text: string, decimals: number): bigint | undefined {
  const [, whole = '', part = ''] = /^\s*([\d\s]*)(?:[.,](\d*))?\s*$/.exec(text) ?? []
  const digits = whole.replaceAll(/\s/g, '')
  if ((digits === '' && part === '') || part.length > decimals) return undefined
  return BigInt(digits + part.padEnd(decimals, '0'))
}

/** How many hundredths of a percent `now` is above `then`, rounded down. */
export function bpsBetween(then: bigint, now: bigint): number | undefined {
  if (then === 0n) return undefined
  const hundredths = ((now - then) * 1_000_000n) / then
  const isCut = ((now - then) * 1_000_000n) % then !== 0n
  return Number(isCut && now < then ? hundredths - 1n : hundredths) / 100
}
