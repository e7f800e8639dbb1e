import type { PoolRecord } from '../../protocols/poolRecord.ts'
import { measureDepths } from './measureDepths.ts'
import type { ReferenceAssets } from './referencePrices.ts'

/** The deepest pools first; in the order they came where nobody can tell. */
export function sortByDepth(
  records: readonly PoolRecord[],
  assets: ReferenceAssets,
): readonly PoolRecord[] {
  const { depths } = measureDepths(records, assets)
  const depthOf = ({ id }: PoolRecord) => depths.get(id) ?? 0
  return records.toSorted((one, other) => depthOf(other) - depthOf(one))
}
