import { resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { readKeyConfig } from '../config/keyConfig.ts'
import { printTable } from '../observe/printTable.ts'
import { exportLedger, verifyArchive } from '../store/archiveLedger.ts'
import { checkpointPublicKey, checkpointPublicKeys } from '../store/checkpointKey.ts'
import { forgiving, recordCommand } from './recordCommand.ts'
import { withStore } from './withStore.ts'

function toDay(value: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(value) || Number.isNaN(Date.parse(value)))
    throw new InvalidArgumentError('it must be a day, as 2027-01-31')
  return value
}

const [firstDay, lastDay] = ['0000-01-01', '9999-12-31']
type Span = { readonly from?: string; readonly until?: string }

/** `forkyard ledger`: signed days of the books, and their rows as files that outlast the database. */
export function ledgerCommand(print: (text: string) => void, env = process.env) {
  const command = new Command('ledger').description(
    'signed days of the quota ledger: list, export, key, verify',
  )
  command
    .command('days')
    .description('the checkpoints of the ledger, the oldest first')
    .action(async () => {
      const days = await withStore(readKeyConfig(env), ({ checkpoints }) => checkpoints.list())
      const rows = days.map((one) => [
        one.day,
        String(one.entries),
        one.signature === null ? 'open' : 'signed',
        one.prunedId > one.afterId ? 'gone' : 'kept',
        one.digest,
      ])
      printTable(print, { head: ['day', 'rows', 'state', 'charges', 'digest'], rows })
    })
  command
    .command('export')
    .description('write the rows of signed days to a file of JSON lines')
    .argument('<file>', 'appears when it is whole')
    .option('--from <day>', 'first day, in UTC, as 2027-01-31; default: of all', toDay)
    .option('--until <day>', 'last day, itself included; default: of all', toDay)
    .action(async (file: string, { from = firstDay, until = lastDay }: Span) => {
      const to = resolve(file)
      const { days, rows } = await withStore(readKeyConfig(env), (store) =>
        recordCommand(
          { log: forgiving(store.operatorLog) },
          {
            command: 'ledger export',
            subject: to,
            asked: { from, until },
            look: async (done?: object) => done ?? null,
          },
          () => exportLedger(store, { from, until, to }),
        ),
      )
      print(`${file}: ${days} days, ${rows} rows\n`)
    })
  command
    .command('key')
    .description('the public key that days are signed with, for who verifies without the pepper')
    .action(() => print(`${checkpointPublicKey(readKeyConfig(env).keyPepper)}\n`))
  command
    .command('verify')
    .description('whether an exported file holds what was signed; needs no database')
    .argument('<file>')
    .option('--key <key...>', 'public keys that are believed; else those of the pepper')
    .action(async (file: string, { key }: { key?: readonly string[] }) => {
      const trusted = key ?? checkpointPublicKeys(readKeyConfig(env))
      const days = await verifyArchive(resolve(file), trusted)
      const span = `${days[0]} through ${days.at(-1)}`
      print(`${file} holds ${days.length} days as they were signed, ${span}\n`)
    })
  return command
}
