/** Raw USDC of one quote: the document's price, which every quota contract of ours has built in. */
export const amountPerQuote = 100n
