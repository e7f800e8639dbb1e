/** Where each of many stands. Never changed: who moves is in other seats. */
export type Seats = Pick<ReadonlyMap<string, number>, 'get' | 'has'> & {
  readonly keys: () => Iterable<string>
  readonly layers: Layers
}

type Layers = {
  readonly base: ReadonlyMap<string, number>
  /** Undefined: it stands nowhere any more. */
  readonly moved: ReadonlyMap<string, number | undefined>
}
export type Move = readonly [key: string, seat: number | undefined]

/** Beyond it everybody is written down anew. */
const mostMoved = 256

/** In this order. */
export function createSeats(keys: readonly string[]): Seats {
  return layOver({ base: new Map(keys.map((key, seat) => [key, seat])), moved: new Map() })
}

/** The seats after some moved, came or went: it costs what has changed lately, not what there is. */
export function moveSeats(seats: Seats, moves: readonly Move[]): Seats {
  if (moves.length === 0) return seats
  const { base, moved } = seats.layers
  const layers = { base, moved: new Map([...moved, ...moves]) }
  return layOver(layers.moved.size > mostMoved ? join(layers) : layers)
}

function join({ base, moved }: Layers): Layers {
  const whole = new Map(base)
  for (const [key, seat] of moved) {
    if (seat === undefined) whole.delete(key)
    else whole.set(key, seat)
  }
  return { base: whole, moved: new Map() }
}

function layOver(layers: Layers): Seats {
  const { base, moved } = layers
  const get = (key: string) => moved.get(key) ?? (moved.has(key) ? undefined : base.get(key))
  return {
    layers,
    get,
    has: (key) => get(key) !== undefined,
    *keys() {
      for (const key of base.keys()) if (!moved.has(key)) yield key
      for (const [key, seat] of moved) if (seat !== undefined) yield key
    },
  }
}
