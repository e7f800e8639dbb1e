import { keyOf } from './packCall.ts'
import type { PackedChain } from './packFile.ts'
import { siblingsOf } from './siblings.ts'

/** The chain with what was used of it, and what another run may ask beside. */
export function pruneChain(chain: PackedChain, used: ReadonlySet<string>): PackedChain {
  const answers = [...chain.answers].filter(
    ([key, { call }]) =>
      used.has(key) || siblingsOf(call, chain).some((sibling) => used.has(keyOf(sibling))),
  )
  return { ...chain, answers: new Map(answers) }
}
