import { providerUnits } from './providerUnits.ts'

/** What a provider counts for a call of a method: compute units, credits or plain calls. */
export type UnitsOf = (method: string) => number

export type CallPrices = { readonly unitsOf: UnitsOf; readonly usdPerMillion: number }

/** `eth_call=26,eth_getLogs=60,*=20`: each method by its name, every other one by `*`; or a provider. */
export const callUnitsPattern = `^((\\*|\\w+)=\\d+(,(\\*|\\w+)=\\d+)*|${Object.keys(providerUnits).join('|')})?$`
const usualUnits = 1

/** What calls count and cost: by a table, or by a provider's name and what is known of it. */
export const readCallPrices = (table: string, usdPerMillion: number): CallPrices => ({
  unitsOf: readCallUnits(table),
  usdPerMillion: usdPerMillion || (providerUnits[table]?.usdPerMillion ?? 0),
})

/** Reads a provider's table; a method that it does not name counts as `*`, else as one. */
export function readCallUnits(table: string): UnitsOf {
  const own = providerUnits[table]?.units ?? table
  const units = new Map(
    own.split(',').map((entry) => {
      const [method = '', count] = entry.split('=')
      return [method, Number(count)] as const
    }),
  )
  return (method) => units.get(method) ?? units.get('*') ?? usualUnits
}
