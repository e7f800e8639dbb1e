/**
 * What a month of following a chain costs at 0.45 USD for a million units, as docs/production.md has it of alchemy-paid:
 * Base's blocks come each two seconds, Arbitrum One's four a second.
 */
const followingUsd = { slow: 125, fast: 408 }
/** Of a row of the ledger in PostgreSQL, and of what its log holds of it; docs/scale.md. */
const [rowBytes, logBytes] = [238, 574]
const daySecs = 86_400

export type Bill = {
  /** Of all databases, in a day, while detail is kept. */
  readonly ledgerGbPerDay: number
  readonly logGbPerDay: number
  /** Of the nodes, in a month, for following alone: each database follows each chain once, whatever is asked. */
  readonly nodesUsdPerMonth: number
}

/** Of a fleet whose chains are one half slow and one half fast. */
export function readBill({
  perSecond,
  chains,
  databases,
}: {
  readonly perSecond: number
  readonly chains: number
  readonly databases: number
}): Bill {
  const perDay = (bytes: number) => Math.round((perSecond * bytes * daySecs) / 1e9)
  return {
    ledgerGbPerDay: perDay(rowBytes),
    logGbPerDay: perDay(logBytes),
    nodesUsdPerMonth: (databases * chains * (followingUsd.slow + followingUsd.fast)) / 2,
  }
}
