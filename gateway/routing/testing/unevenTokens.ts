/** Tokens of the world that round what a transfer moves: what is said of them is right to some units. */
export const isUneven = (symbol: string): boolean =>
  symbol === 'REBASE' || symbol.startsWith('aBas') || symbol.startsWith('aArb')
