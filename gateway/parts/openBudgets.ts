import { setTimeout as wait } from 'node:timers/promises'
import { createCallBudget, type OpenBudget } from '../chain/callBudget.ts'
import type { Config } from '../config/config.ts'
import type { Observed } from './observed.ts'

/** What each chain's nodes may be asked, by what for. */
export type CallBudgets = ReadonlyMap<number, OpenBudget>

export function openBudgets(
  { chains, callBudget: budget, callPrices }: Pick<Config, 'chains' | 'callBudget' | 'callPrices'>,
  { metrics }: Pick<Observed, 'metrics'>,
): CallBudgets {
  return new Map(
    chains.map(({ chain: { chainId } }) => {
      const observe = metrics.countsCalls(chainId, callPrices)
      const { unitsOf } = callPrices
      return [chainId, createCallBudget({ unitsOf, budget, sleep: wait, observe })] as const
    }),
  )
}
