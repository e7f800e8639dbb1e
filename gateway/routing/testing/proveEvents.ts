import { toEventSelector } from 'viem'
import { assert } from '../../../fixtures/test.ts'
import type { PoolFamily } from '../protocols/family/poolFamily.ts'

/** That these events are what a family follows its pools by, and those what it hears of new ones. */
export function proveEvents(
  { topics, creations }: Pick<PoolFamily, 'topics' | 'creations'>,
  followed: readonly string[],
  created: readonly string[],
): void {
  const sorted = (signatures: readonly string[]) =>
    signatures.map((event) => toEventSelector(event)).toSorted()
  assert.equal(topics.toSorted(), sorted(followed))
  assert.equal(creations.map(({ topic }) => topic).toSorted(), sorted(created))
}
