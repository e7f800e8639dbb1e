import type { ChainRow } from './chain.ts'

/** Name of a chain's setting in the environment, e.g. `BASE_RPC_URL`. */
export function settingName<const suffix extends string>(
  { name }: Pick<ChainRow, 'name'>,
  suffix: suffix,
): `${string}_${suffix}` {
  return `${name.toUpperCase()}_${suffix}`
}
