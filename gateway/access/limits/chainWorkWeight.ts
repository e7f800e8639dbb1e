/** What a claim or a payment weighs: each has a chain's node asked several times. */
export const chainWorkWeight = 5
