import { createNetworkSlots, type NetworkSlots } from '../http/networkSlots.ts'

export type StreamCaps = {
  /** Streams at once of all callers; undefined: no cap. */
  readonly total: number | undefined
  /** Of one IPv4 address or IPv6 /64. */
  readonly perAddress: number | undefined
}

export type StreamSlots = NetworkSlots

/** Who streams right now, by address, by site and in all. */
export function createStreamSlots({
  total = Number.POSITIVE_INFINITY,
  perAddress = Number.POSITIVE_INFINITY,
}: StreamCaps): StreamSlots {
  const slots = createNetworkSlots(perAddress)
  let all = 0
  return {
    take(ip) {
      const release = all < total ? slots.take(ip) : undefined
      if (!release) return undefined
      all += 1
      let isHeld = true
      return () => {
        if (isHeld) all -= 1
        isHeld = false
        release()
      }
    },
  }
}
