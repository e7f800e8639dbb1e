import { Command } from 'commander'
import { amountPerQuote } from '../access/sale/amountPerQuote.ts'
import { createChainClient } from '../chain/client.ts'
import { readConfig } from '../config/config.ts'
import { printTable } from '../observe/printTable.ts'
import { auditBooks, type Fault, readChainRows } from '../store/auditBooks.ts'
import { auditCheckpoints } from '../store/auditCheckpoints.ts'
import { checkpointPublicKey } from '../store/checkpointKey.ts'
import type { DatabaseConfig } from '../store/openConfiguredStore.ts'
import { openReadOnly } from '../store/openReadOnly.ts'
import { toWholeNumber } from './arguments.ts'
import { auditChain } from './auditChain.ts'

type Print = (text: string) => void
type Chains = Parameters<typeof auditChain>[0][]

/** Where a database does not balance, in itself and with its chains; reads only, beside running gateways. */
export async function audit(
  config: DatabaseConfig,
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
  const { engine, close } = await openReadOnly(config)
  try {
    const { faults, named } = await engine.snapshot(function* () {
      const faults = [
        ...(yield* auditBooks({ amountPerQuote })),
        ...(yield* auditCheckpoints({ trusted })),
      ]
      return { faults, named: yield* readChainRows(rows) }
    })
    const told = await Promise.all(chains.map((chain) => auditChain(chain, named)))
    return [...faults, ...told.flat()]
  } finally {
    await close()
  }
}

/** `forkyard audit`: for cron, whose mail says what it prints; ends with 1 where something does not balance. */
export function auditCommand(print: Print) {
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
      const config = readConfig(process.env)
      const clients = (offline ? [] : config.chains).map(({ chain, rpcUrls }) =>
        createChainClient({ chain, rpcUrls, trust: 'shown' }),
      )
      try {
        const { keyPepper, formerPepper } = config
        const trusted = [keyPepper, formerPepper?.pepper ?? []].flat().map(checkpointPublicKey)
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
