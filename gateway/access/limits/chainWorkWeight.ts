/** What a claim, a payment or a registration weighs: each may have a chain's node asked several times. */
export const chainWorkWeight = 5
