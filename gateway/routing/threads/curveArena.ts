import type { Curve } from '../protocols/maths/curve.ts'

/** Where a curve begins, in numbers from the first of the first block. */
export type Place = number
/** Memory that threads share, in blocks; a curve lies within one. */
export type Blocks = readonly Float64Array<SharedArrayBuffer>[]

/** Of numbers: a megabyte. A curve is longer only where a pool has 32,000 pieces, and is then left out. */
export const blockLength = 2 ** 17
/** The least slot. */
const leastSlot = 16

/** A count of pieces and of what tells how far they may be off, then x and y with their ends, a, b and that. */
const lengthOf = ({ count, over }: Curve) => 2 + 2 * (count + 1) + 2 * count + (over?.length ?? 0)

/**
 * Slots have four lengths between any and its double: what is let go fits others. Were there one for each
 * length, a pool of many pieces whose price wanders would fill as many as it has pieces.
 */
export function slotLengthOf(length: number): number {
  const step = 2 ** Math.ceil(Math.log2(Math.max(length, leastSlot))) / 8
  return Math.ceil(Math.max(length, leastSlot) / step) * step
}

/**
 * Curves as numbers that threads share. Each is written once and keeps its place for as long as somebody
 * here holds it: a thread reads no curve of a market that is not held.
 */
export function createCurveArena() {
  const blocks: Float64Array<SharedArrayBuffer>[] = []
  const places = new WeakMap<Curve, Place>()
  const free = new Map<number, Place[]>()
  const letGo = new FinalizationRegistry<{ readonly place: Place; readonly length: number }>(
    ({ place, length }) => free.set(length, [...(free.get(length) ?? []), place]),
  )
  let next = 0

  function take(length: number): Place {
    const again = free.get(length)?.pop()
    if (again !== undefined) return again
    const isBeyond = (next % blockLength) + length > blockLength
    const place = isBeyond ? Math.ceil(next / blockLength) * blockLength : next
    next = place + length
    if (next > blocks.length * blockLength)
      blocks.push(new Float64Array(new SharedArrayBuffer(8 * blockLength)))
    return place
  }

  return {
    blocks: blocks as Blocks,
    /** Where the curve is written, -1 where it is too long. */
    placeOf(curve: Curve): Place {
      const known = places.get(curve)
      if (known !== undefined) return known
      const length = slotLengthOf(lengthOf(curve))
      if (length > blockLength) return -1
      const place = take(length)
      writeCurve(blocks, place, curve)
      places.set(curve, place)
      letGo.register(curve, { place, length })
      return place
    },
  }
}
export type CurveArena = ReturnType<typeof createCurveArena>

function writeCurve(blocks: Blocks, place: Place, curve: Curve): void {
  const block = blocks[Math.floor(place / blockLength)]
  let at = place % blockLength
  const { count, x, y, a, b, over } = curve
  block?.set([count, over?.length ?? 0], at)
  at += 2
  for (const column of [x, y, a, b, over ?? []]) {
    block?.set(column, at)
    at += column.length
  }
}

/** The curve as views of what is shared. */
export function readCurve(blocks: Blocks, place: Place): Curve | undefined {
  const block = blocks[Math.floor(place / blockLength)]
  if (place < 0 || !block) return undefined
  const start = place % blockLength
  const count = block[start] as number
  const overCount = block[start + 1] as number
  let at = start + 2
  const view = (length: number) => {
    at += length
    return block.subarray(at - length, at)
  }
  const [x, y, a, b] = [view(count + 1), view(count + 1), view(count), view(count)] as const
  return { count, x, y, a, b, over: overCount > 0 ? view(overCount) : undefined }
}
