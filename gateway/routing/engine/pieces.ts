/**
 * A long list that is never changed, in pieces: the next one shares those in which nothing is other. An array of
 * more than some ten thousand members lies in pages of its own, and a copy of it takes a millisecond or two.
 */
export type Pieces<member> = {
  readonly length: number
  readonly pieces: readonly (readonly member[])[]
}

const bits = 8
const size = 2 ** bits
const none: Pieces<never> = { length: 0, pieces: [] }

export function toPieces<member>(members: Iterable<member>): Pieces<member> {
  const draft = editPieces<member>(none)
  for (const member of members) draft.push(member)
  return draft.done()
}

/** Undefined outside. */
export function at<member>({ pieces }: Pieces<member>, index: number): member | undefined {
  return pieces[index >> bits]?.[index & (size - 1)]
}

export function* each<member>({ pieces }: Pieces<member>): Generator<member, undefined> {
  for (const piece of pieces) yield* piece
  return undefined
}

/** Where members are others than in a list before, or were not. */
export function listOthers<member>(
  { pieces }: Pieces<member>,
  before: Pieces<member> | undefined,
): readonly number[] {
  return pieces.flatMap((piece, number) => {
    const old = before?.pieces[number]
    if (old === piece) return []
    return piece.flatMap((member, index) =>
      old && index < old.length && old[index] === member ? [] : [number * size + index],
    )
  })
}

/** A list in which runs of the members stand where they are told to, and nobody elsewhere. */
export function movePieces<member>(
  { pieces }: Pieces<member>,
  runs: readonly { readonly before: number; readonly after: number; readonly count: number }[],
  length: number,
): Pieces<member | undefined> {
  // Up to where something moves, all stay in their pieces.
  const [first] = runs
  const stays = first?.before === 0 && first.after === 0 ? first.count >> bits : 0
  const next: (readonly (member | undefined)[])[] = pieces.slice(0, stays)
  const own = Array.from({ length: Math.ceil(length / size) - stays }, (_, number) =>
    new Array<member | undefined>(Math.min(size, length - (stays + number) * size)).fill(undefined),
  )
  for (const { before, after, count } of runs)
    for (let k = Math.max(0, stays * size - after); k < count; ) {
      const [from, to] = [before + k, after + k]
      const source = pieces[from >> bits] ?? []
      const piece = own[(to >> bits) - stays] ?? []
      const [start, place] = [from & (size - 1), to & (size - 1)]
      const width = Math.min(count - k, size - start, size - place)
      for (let n = 0; n < width; n++) piece[place + n] = source[start + n]
      k += width
    }
  return { length, pieces: [...next, ...own] }
}

/** The next list in the making; the one before stays as it is. */
export type Draft<member> = {
  readonly length: () => number
  readonly at: (index: number) => member | undefined
  /** Within the list, or just behind it. */
  readonly set: (index: number, member: member) => void
  readonly push: (member: member) => void
  readonly pop: () => member
  /** Afterwards nothing may be written any more. */
  readonly done: () => Pieces<member>
}

export function editPieces<member>(list: Pieces<member>): Draft<member> {
  let { length } = list
  const pieces: (readonly member[])[] = list.pieces.slice()
  const own = new Map<number, member[]>()

  function open(number: number): member[] {
    const known = own.get(number)
    if (known) return known
    const piece = pieces[number]?.slice() ?? []
    pieces[number] = piece
    own.set(number, piece)
    return piece
  }
  function set(index: number, member: member): void {
    open(index >> bits)[index & (size - 1)] = member
    length = Math.max(length, index + 1)
  }

  return {
    length: () => length,
    at: (index) => pieces[index >> bits]?.[index & (size - 1)],
    set,
    push: (member) => set(length, member),
    pop() {
      length -= 1
      const last = open(length >> bits).pop() as member
      pieces.length = Math.ceil(length / size)
      own.delete(pieces.length)
      return last
    },
    done: () => ({ length, pieces }),
  }
}
