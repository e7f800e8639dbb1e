import { type Hex, toFunctionSelector } from 'viem'
import { assert } from '../../../fixtures/test.ts'
import type { Dex } from '../../chain/dex.ts'
import type { PoolFamily } from '../protocols/family/poolFamily.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { createViewNode, fakeAddress, fakeDex, type Told } from './viewNode.ts'

type Asked = readonly [
  factory: Hex,
  selector: Hex,
  a: readonly Hex[],
  b: readonly Hex[],
  keys: unknown,
]
const [token0, token1, pool] = [1, 2, 3].map(fakeAddress) as [Hex, Hex, Hex]

/** By which look-ups a family asks its factory for the pools of two tokens, and with which keys. */
export async function findThrough(
  { find }: Pick<PoolFamily, 'find'>,
  {
    told = [],
    logs = [],
    ...own
  }: Partial<Dex> & {
    readonly told?: readonly Told[]
    readonly logs?: readonly Pick<PoolLog, 'topics' | 'data'>[]
  } = {},
): Promise<readonly (readonly [selector: Hex, keys: unknown])[]> {
  const asked: Asked[] = []
  const answer = (...args: Asked) => {
    asked.push(args)
    return [[pool, pool], []]
  }
  const dex = fakeDex({ protocol: 'uniswap_v2', ...own })
  const { deps } = createViewNode(told, { findPools: answer, findLists: answer }, logs)
  const pools = await find(deps, { dex, a: [token0], b: [token1], blockNumber: 7n })
  assert.equal(
    pools.map(({ address }) => address.toLowerCase()),
    asked.map(() => pool),
    'each once',
  )
  for (const [factory, , a, b] of asked)
    assert.equal(
      [factory, a, b].flat().join().toLowerCase(),
      [dex.factory, token0, token1].join().toLowerCase(),
    )
  return asked.map(([, selector, , , keys]) => [selector, keys])
}

/** A look-up as `findThrough` tells it. */
export const lookup = (signature: string, ...keys: readonly number[]) =>
  [toFunctionSelector(signature), keys.map(BigInt)] as const
