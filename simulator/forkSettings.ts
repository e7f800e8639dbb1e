/** Families of chains that anvil knows. */
export const networks = ['ethereum', 'optimism'] as const

/** What anvil has to be told about a chain, since it does not find it out by itself. */
export type AnvilSettings = {
  /** Anvil's word, of the network's own hardforks; undefined: its latest. */
  readonly hardfork?: string | undefined
  readonly network?: (typeof networks)[number] | undefined
}

export type ForkSettings = AnvilSettings & {
  /** Contracts of the chain's node that anvil lacks, and the simulator stands in for. */
  readonly precompiles?: 'arbOs' | undefined
}

/** Only what is set: an absent flag is anvil's own choice. */
export const anvilSettings = ({ hardfork, network }: AnvilSettings) => ({
  ...(hardfork === undefined ? {} : { hardfork }),
  ...(network === undefined ? {} : { network }),
})
