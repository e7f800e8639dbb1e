/** What a provider counts for a call of a method: compute units, credits or plain calls. */
export type UnitsOf = (method: string) => number

export type CallPrices = { readonly unitsOf: UnitsOf; readonly usdPerMillion: number }

/** `eth_call=26,eth_getLogs=60,*=20`: each method by its name, every other one by `*`. */
export const callUnitsPattern = '^((\\*|\\w+)=\\d+(,(\\*|\\w+)=\\d+)*)?$'
const usualUnits = 1

/** Reads a provider's table; a method that it does not name counts as `*`, else as one. */
export function readCallUnits(table: string): UnitsOf {
  const units = new Map(
    table.split(',').map((entry) => {
      const [method = '', count] = entry.split('=')
      return [method, Number(count)] as const
    }),
  )
  return (method) => units.get(method) ?? units.get('*') ?? usualUnits
}
