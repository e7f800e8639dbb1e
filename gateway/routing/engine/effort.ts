/**
 * Work done by one search, counted in looks at an edge or a pair of tokens (tens of nanoseconds each).
 * Unlike time it is the same for equal state on every machine and under every load, so it decides
 * where a search stops.
 */
export type Effort = { spent: number }
