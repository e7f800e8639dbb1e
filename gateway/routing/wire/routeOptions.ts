import { type Static, Type } from 'typebox'
import { formats, uint256 } from '../../http/schemas.ts'
import type { RouteOptions } from '../routeOptions.ts'

const mostDexes = 64
const mostPools = 100
const mostHops = 6
const mostSteps = 112
/** A million gwei: beyond it, numbers of a search are no longer told apart. */
const mostGasPriceWei = 10n ** 15n

const said = {
  include_dexes: 'Only pools of these DEXes, by the names of GET /api/chains',
  exclude_dexes: 'No pools of these DEXes',
  exclude_pools:
    'Not through these pools: addresses as in steps[].pool, or ids as in steps[].pool_id',
}

const limits = {
  max_hops: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: mostHops,
      description:
        'Most swaps one after the other, on every path of the answer. Default: 3, and up to 5 where splits meet (ultra: 4 and 6)',
    }),
  ),
  max_steps: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: mostSteps,
      description: 'Most swaps in all. Default and most: 96 (ultra: 112)',
    }),
  ),
  single_path: Type.Optional(
    Type.Boolean({
      description: 'One path alone, whatever splits would bring more. Default: false',
    }),
  ),
  gas_price_wei: Type.Optional(
    uint256({
      description: `Wei per gas, up to ${mostGasPriceWei}, that the route is chosen by: steps not worth their gas are left out. 0 looks at the output alone. Default: the chain's price`,
    }),
  ),
  deadline: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Unix seconds after which the payload reverts; in the future. Default: 20 minutes from now',
    }),
  ),
}

const names = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: mostDexes, description }),
  )

/** Of a body. */
export const routeOptionFields = {
  include_dexes: names(said.include_dexes),
  exclude_dexes: names(said.exclude_dexes),
  exclude_pools: Type.Optional(
    Type.Array(Type.Unsafe<string>({ type: 'string', format: 'pool' }), {
      minItems: 1,
      maxItems: mostPools,
      description: said.exclude_pools,
    }),
  ),
  ...limits,
}

const list = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, description: `${description}; separated by commas` }))

/** Of a query, whose lists are texts. */
export const routeOptionQuery = {
  include_dexes: list(said.include_dexes),
  exclude_dexes: list(said.exclude_dexes),
  exclude_pools: list(said.exclude_pools),
  ...limits,
}

const shapes = [Type.Object(routeOptionFields), Type.Object(routeOptionQuery)] as const
export type RouteOptionsBody = Static<(typeof shapes)[number]>

const toList = (value: string | readonly string[] | undefined) =>
  typeof value === 'string' ? value.split(',') : value

/** Undefined where a caller says nothing, so that a question without options is the same as ever. */
export function toRouteOptions(body: RouteOptionsBody): {
  readonly options?: RouteOptions | undefined
  readonly deadlineSecs?: bigint | undefined
} {
  const { gas_price_wei: gasPrice, deadline } = body
  const options = {
    includeDexes: toList(body.include_dexes),
    excludeDexes: toList(body.exclude_dexes),
    excludePools: toList(body.exclude_pools)?.map((pool) => pool.toLowerCase()),
    maxHops: body.max_hops,
    maxSteps: body.max_steps,
    singlePath: body.single_path,
    gasPriceWei: gasPrice === undefined ? undefined : BigInt(gasPrice),
  }
  const isSaid = Object.values(options).some((value) => value !== undefined)
  return {
    ...(isSaid && { options }),
    ...(deadline !== undefined && { deadlineSecs: BigInt(deadline) }),
  }
}

type Wrong = { readonly field: string; readonly reason: string }

/** What a schema cannot say of them; undefined where all are right. */
export function findWrongOption(
  body: RouteOptionsBody,
  { dexes, clockSecs }: { readonly dexes: readonly string[]; readonly clockSecs: bigint },
): Wrong | undefined {
  for (const field of ['include_dexes', 'exclude_dexes'] as const) {
    const index = toList(body[field])?.findIndex((name) => !dexes.includes(name)) ?? -1
    if (index >= 0)
      return { field: nameItem(body, field, index), reason: `must be one of ${dexes.join(', ')}` }
  }
  const pools = toList(body.exclude_pools) ?? []
  const index = pools.findIndex((pool) => !formats.pool.validate(pool))
  if (index >= 0)
    return {
      field: nameItem(body, 'exclude_pools', index),
      reason: `must be ${formats.pool.words}`,
    }
  if (BigInt(body.gas_price_wei ?? 0) > mostGasPriceWei)
    return { field: 'gas_price_wei', reason: `must be at most ${mostGasPriceWei}` }
  if (body.deadline !== undefined && BigInt(body.deadline) <= clockSecs)
    return { field: 'deadline', reason: `must be in the future (now is ${clockSecs})` }
  return undefined
}

function nameItem(
  body: RouteOptionsBody,
  field: 'include_dexes' | 'exclude_dexes' | 'exclude_pools',
  index: number,
): string {
  return typeof body[field] === 'string' ? field : `${field}[${index}]`
}
