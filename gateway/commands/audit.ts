import { Command } from 'commander'
import { createChainClient } from '../chain/client.ts'
import { readConfig } from '../config/config.ts'
import { readKeyConfig } from '../config/keyConfig.ts'
import { printTable } from '../observe/printTable.ts'
import { auditDatabase } from '../ops/audit/auditDatabase.ts'
import type { Fault } from '../store/auditBooks.ts'
import { checkpointPublicKeys } from '../store/checkpointKey.ts'
import type { DatabaseConfig } from '../store/openConfiguredStore.ts'
import { toWholeNumber } from './arguments.ts'
import { auditChain } from './auditChain.ts'

type Print = (text: string) => void
type Chains = Parameters<typeof auditChain>[0][]

/** Where a database does not balance, in itself and with its chains; reads only, beside running gateways. */
export async function audit(
  database: DatabaseConfig,
  {
    chains,
    trusted = [],
    rows = 1_000,
  }: {
    readonly chains: Readonly<Chains>
    /** Public keys, one of which must have signed the newest checkpoint. */
    readonly trusted?: readonly string[]
    readonly rows?: number
  },
): Promise<readonly Fault[]> {
  const { faults, named } = await auditDatabase({ database, trusted }, { rows })
  const told = await Promise.all(chains.map((chain) => auditChain(chain, named)))
  return [...faults, ...told.flat()]
}

/** `forkyard audit`: for cron, whose mail says what it prints; ends with 1 where something does not balance. */
export function auditCommand(print: Print, env = process.env) {
  return new Command('audit')
    .description('whether the books balance, in themselves and with the chains')
    .option(
      '--rows <n>',
      'newest rows of each kind that the chains are asked about',
      toWholeNumber,
      1_000,
    )
    .option('--offline', 'ask no chain')
    .action(async ({ rows, offline }: { rows: number; offline?: boolean }) => {
      // Where no chain is asked, none has to be named: beside a backup, say.
      const config = offline ? { ...readKeyConfig(env), chains: [] } : readConfig(env)
      const clients = config.chains.map(({ chain, rpcUrls }) =>
        createChainClient({ chain, rpcUrls, trust: 'shown' }),
      )
      try {
        const trusted = checkpointPublicKeys(config)
        const faults = await audit(config, { chains: clients, trusted, rows })
        if (faults.length === 0) return print('the books balance\n')
        const head = ['check', 'row', 'found']
        printTable(print, {
          head,
          rows: faults.map(({ check, row, found }) => [check, row, found]),
        })
        process.exitCode = 1
      } finally {
        for (const client of clients) client.close()
      }
    })
}
