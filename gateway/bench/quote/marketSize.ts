/** What "at 1,000 pools" means in every figure of the quote service. */
export const marketSize = { pools: 1_000, tokens: 100, seed: 7 }
