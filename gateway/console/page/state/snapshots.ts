/** A state that a chain was told to keep, while this page is open. */
export type Kept = {
  /** Of this page: the chain gives a new id whenever it goes back. */
  readonly number: number
  readonly id: string
  readonly chainId: number
  /** Number of the one that stood before it. */
  readonly parent: number | undefined
  /** The chain has forgotten it: it went back to one before. */
  readonly isGone: boolean
}

export type Snapshots = {
  readonly kept: readonly Kept[]
  /** By chain: the last that was taken or gone back to. */
  readonly current: Readonly<Record<number, number>>
}

export const noSnapshots: Snapshots = { kept: [], current: {} }

export function keep(
  { kept, current }: Snapshots,
  { chainId, id }: Pick<Kept, 'chainId' | 'id'>,
): Snapshots {
  const number = kept.length + 1
  return {
    kept: [...kept, { number, id, chainId, parent: current[chainId], isGone: false }],
    current: { ...current, [chainId]: number },
  }
}

/** A chain that goes back forgets what it was told to keep since; the state has a new id then. */
export function goBack({ kept, current }: Snapshots, to: Kept, id: string): Snapshots {
  return {
    kept: kept.map((one) => {
      if (one.number === to.number) return { ...one, id }
      const isLater = one.chainId === to.chainId && BigInt(one.id) > BigInt(to.id)
      return isLater ? { ...one, isGone: true } : one
    }),
    current: { ...current, [to.chainId]: to.number },
  }
}
