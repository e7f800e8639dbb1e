import { InvalidArgumentError } from 'commander'
import { type Chain, chains } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'

/** A whole number given on the command line; anything else is refused with the reason. */
export function toWholeNumber(value: string) {
  const number = Number(value)
  if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('it must be a whole number')
  return number
}

/** How many days, hours, … of something: one at least. */
export function toCount(value: string) {
  const number = toWholeNumber(value)
  if (number < 1) throw new InvalidArgumentError('it must be 1 or more')
  return number
}

/** Where something listens; 0: where a port is free. */
export function toPort(value: string) {
  const number = toWholeNumber(value)
  if (number < 0 || number > 65_535) throw new InvalidArgumentError('it must be a port, 0 to 65535')
  return number
}

/** How much of something that comes in parts. */
export function toShare(value: string) {
  const number = Number(value)
  if (!(number > 0 && number < Number.POSITIVE_INFINITY))
    throw new InvalidArgumentError('it must be a number above 0')
  return number
}

/** A moment in milliseconds. */
export function toMoment(value: string) {
  const ms = Date.parse(value)
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(value) || Number.isNaN(ms))
    throw new InvalidArgumentError('it must be a moment in UTC, as 2027-01-31T12:00Z')
  return ms
}

/** For `--help`: "base or arbitrum". */
export const chainNames = chains.map(({ name }) => name).join(' or ')

/** "8453 (base), 42161 (arbitrum)". */
export const numberedChains = chains.map(({ chainId, name }) => `${chainId} (${name})`).join(', ')

/** The number of a chain, given so or by its name: the brake of one that does not exist would stop nothing. */
export function toChainId(value: string): number {
  const chain = chains.find(({ chainId, name }) => value === String(chainId) || value === name)
  if (chain) return chain.chainId
  throw new InvalidArgumentError(`it must be one of ${numberedChains}`)
}

/** A chain by its name. */
export function toChain(name: string): Chain {
  const chain = chains.find((one) => one.name === name)
  if (chain) return chain
  throw new InvalidArgumentError(`it must be one of ${chains.map((one) => one.name).join(', ')}`)
}

/**
 * `--rpc`, or the gateway's own setting; comma-separated. They may hold keys and are never printed.
 * @throws Error where neither is given
 */
export function readRpcUrls(
  { chain, rpc }: { readonly chain: Chain; readonly rpc?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const name = settingName(chain, 'RPC_URL')
  const urls = (rpc ?? env[name] ?? '').split(',').filter(Boolean)
  if (urls.length === 0) throw new Error(`give --rpc or set ${name}`)
  return urls
}
