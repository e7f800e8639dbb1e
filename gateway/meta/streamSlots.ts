import { limitedNetwork } from '../http/limitedNetwork.ts'

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

/** Who streams right now, by address and in all. */
export function createStreamSlots({ total, perAddress }: StreamCaps): StreamSlots {
  const open = new Map<string, number>()
  let all = 0
  return {
    take(ip) {
      const network = limitedNetwork(ip)
      const own = open.get(network) ?? 0
      if (all >= (total ?? Number.POSITIVE_INFINITY)) return undefined
      if (own >= (perAddress ?? Number.POSITIVE_INFINITY)) return undefined
      all++
      open.set(network, own + 1)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        all--
        const left = (open.get(network) ?? 1) - 1
        if (left > 0) open.set(network, left)
        else open.delete(network)
      }
    },
  }
}
