import { limitedNetwork, limitedSite } from '../http/limitedNetwork.ts'

export type StreamCaps = {
  /** Streams at once of all callers; undefined: no cap. */
  readonly total: number | undefined
  /** Of one IPv4 address or IPv6 /64. */
  readonly perAddress: number | undefined
}

export type StreamSlots = {
  /** Gives the slot back, once however often it is called; undefined where there is none to take. */
  take(ip: string): (() => void) | undefined
}

/** So many addresses' streams a site may have: an IPv6 /48 has 65,536 of them, and would have everybody's. */
const addressesOfSite = 4

/** Who streams right now, by address, by site and in all. */
export function createStreamSlots({
  total = Number.POSITIVE_INFINITY,
  perAddress = Number.POSITIVE_INFINITY,
}: StreamCaps): StreamSlots {
  const open = new Map<string, number>()
  let all = 0
  return {
    take(ip) {
      // Of an IPv4 address the two are one, with the bound of an address.
      const bounds = new Map([
        [limitedSite(ip), addressesOfSite * perAddress],
        [limitedNetwork(ip), perAddress],
      ])
      const add = (by: 1 | -1) => {
        all += by
        for (const name of bounds.keys()) {
          const own = (open.get(name) ?? 0) + by
          if (own > 0) open.set(name, own)
          else open.delete(name)
        }
      }
      if (all >= total) return undefined
      for (const [name, most] of bounds) if ((open.get(name) ?? 0) >= most) return undefined
      add(1)
      let isHeld = true
      return () => {
        if (isHeld) add(-1)
        isHeld = false
      }
    },
  }
}
