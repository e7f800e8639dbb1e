import { limitedNames } from './limitedNetwork.ts'

export type NetworkSlots = {
  /** Gives the slot back, once however often it is called; undefined where there is none to take. */
  take(ip: string): (() => void) | undefined
}

/** What an address holds at once: so much by network, and by site. */
export function createNetworkSlots(most: number): NetworkSlots {
  const open = new Map<string, number>()
  return {
    take(ip) {
      const names = limitedNames(ip)
      const add = (by: 1 | -1) => {
        for (const [name] of names) {
          const own = (open.get(name) ?? 0) + by
          if (own > 0) open.set(name, own)
          else open.delete(name)
        }
      }
      if (names.some(([name, times]) => (open.get(name) ?? 0) >= times * most)) return undefined
      add(1)
      let isHeld = true
      return () => {
        if (isHeld) add(-1)
        isHeld = false
      }
    },
  }
}
