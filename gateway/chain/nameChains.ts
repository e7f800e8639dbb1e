import { chains } from './chains.ts'

/** "Base and Arbitrum One". */
export const nameChains = (): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(
    chains.map(({ displayName }) => displayName),
  )
