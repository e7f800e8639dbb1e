import { InvalidArgumentError } from 'commander'

/** A whole number given on the command line; anything else is refused with the reason. */
export function toWholeNumber(value: string) {
  const number = Number(value)
  if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('it must be a whole number')
  return number
}
