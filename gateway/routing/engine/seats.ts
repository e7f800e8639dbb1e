/** Where each of many stands. */
export type Seats = Pick<ReadonlyMap<string, number>, 'get' | 'has'> & {
  readonly keys: () => Iterable<string>
}

type Layers = {
  readonly base: Seats
  /** Undefined: it stands nowhere any more. */
  readonly moved: ReadonlyMap<string, number | undefined>
}

/** Beyond it everybody is written down anew. */
const mostMoved = 256
const layersOf = new WeakMap<Seats, Layers>()

/** The seats after some moved, came or went: it costs what has changed lately, not what there is. */
export function moveSeats(
  seats: Seats,
  moves: readonly (readonly [key: string, seat: number | undefined])[],
): Seats {
  const { base, moved } = layersOf.get(seats) ?? { base: seats, moved: new Map() }
  const layers = { base, moved: new Map([...moved, ...moves]) }
  const next = layOver(layers)
  if (layers.moved.size <= mostMoved) {
    layersOf.set(next, layers)
    return next
  }
  const whole = new Map<string, number>()
  for (const key of next.keys()) whole.set(key, next.get(key) ?? 0)
  return whole
}

function layOver({ base, moved }: Layers): Seats {
  const get = (key: string) => moved.get(key) ?? (moved.has(key) ? undefined : base.get(key))
  const has = (key: string) => get(key) !== undefined
  return {
    get,
    has,
    *keys() {
      for (const key of base.keys()) if (!moved.has(key)) yield key
      for (const [key, seat] of moved) if (seat !== undefined) yield key
    },
  }
}
