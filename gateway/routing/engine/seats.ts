/** Where each of many stands. Never changed: who moves is in other seats. */
export type Seats = Pick<ReadonlyMap<string, number>, 'get' | 'has'> & {
  readonly keys: () => Iterable<string>
  readonly layers: readonly Layer[]
}

/** Undefined: it stands nowhere any more. The newest come first. */
type Layer = ReadonlyMap<string, number | undefined>
export type Move = readonly [key: string, seat: number | undefined]

/** A layer is so much smaller than the next one, or they become one: all are written anew once in many moves. */
const smaller = 16

/** In this order. */
export function createSeats(keys: readonly string[]): Seats {
  return layOver([new Map(keys.map((key, seat) => [key, seat]))])
}

/** The seats after some moved, came or went: it costs what has changed lately, not what there is. */
export function moveSeats(seats: Seats, moves: readonly Move[]): Seats {
  if (moves.length === 0) return seats
  const { layers } = seats
  let top: Layer = new Map(moves)
  let below = layers
  for (let next = below[0]; next && smaller * top.size > next.size; next = below[0]) {
    below = below.slice(1)
    top = join(top, next, { isLast: below.length === 0 })
  }
  return layOver([top, ...below])
}

function join(top: Layer, next: Layer, { isLast }: { readonly isLast: boolean }): Layer {
  const whole = new Map(next)
  for (const [key, seat] of top) {
    // Below the last layer nobody has to be hidden.
    if (seat === undefined && isLast) whole.delete(key)
    else whole.set(key, seat)
  }
  return whole
}

function layOver(layers: readonly Layer[]): Seats {
  function get(key: string): number | undefined {
    for (const layer of layers) {
      const seat = layer.get(key)
      if (seat !== undefined || layer.has(key)) return seat
    }
    return undefined
  }
  return {
    layers,
    get,
    has: (key) => get(key) !== undefined,
    *keys() {
      for (const [index, layer] of layers.entries())
        for (const [key, seat] of layer)
          if (seat !== undefined && !layers.slice(0, index).some((newer) => newer.has(key)))
            yield key
    },
  }
}
