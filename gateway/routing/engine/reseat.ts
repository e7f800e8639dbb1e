import { type Draft, editPieces, type Pieces, toPieces } from './pieces.ts'
import { createSeats, type Move, moveSeats, type Seats } from './seats.ts'

/** Those with an id of their own, side by side, and where each stands. Never changed. */
export type Seated<member> = {
  readonly members: Pieces<member>
  readonly seats: Seats
}

export type Reseated<member> = Pick<Seated<member>, 'seats'> & {
  /** Who stays may still be replaced. */
  readonly members: Draft<member>
  /** Seats of those that went, falling. */
  readonly left: readonly number[]
  /** Seats of those that came, in their order. */
  readonly taken: readonly number[]
  /** Who had to move: from where, and where to. */
  readonly moved: readonly (readonly [before: number, now: number])[]
}

type Named = { readonly id: string }

export const seat = <member extends Named>(members: readonly member[]): Seated<member> => ({
  members: toPieces(members),
  seats: createSeats(members.map(({ id }) => id)),
})

/** Those with one more each of `came`, and without `gone`: in seats that were left, the last ones in what remains. */
export function reseat<member extends Named>(
  { members, seats }: Seated<member>,
  { came, gone }: { readonly came: readonly member[]; readonly gone: Iterable<string> },
): Reseated<member> {
  const next = editPieces(members)
  // Whoever is told of twice leaves one seat.
  const leaving = [...new Set(gone)].flatMap((id) => {
    const index = seats.get(id)
    return index === undefined ? [] : [{ id, index }]
  })
  const moves: Move[] = leaving.map(({ id }) => [id, undefined])
  const left = leaving.map(({ index }) => index).sort((one, other) => other - one)
  const free = left.slice()
  const taken = came.map((member) => {
    const index = free.pop() ?? next.length()
    next.set(index, member)
    moves.push([member.id, index])
    return index
  })
  const moved: [number, number][] = []
  const holes = new Set(free)
  // The last ones that stay go into the first holes: nobody moves twice.
  for (const index of free.toReversed()) {
    while (holes.has(next.length() - 1)) next.pop()
    if (index >= next.length()) break
    holes.delete(index)
    const last = next.pop()
    moved.push([next.length(), index])
    next.set(index, last)
    moves.push([last.id, index])
  }
  return { members: next, seats: moveSeats(seats, moves), left, taken, moved }
}
