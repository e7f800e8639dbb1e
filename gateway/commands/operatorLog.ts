import { Command } from 'commander'
import { readKeyConfig } from '../config/keyConfig.ts'
import { printTable } from '../observe/printTable.ts'
import { toWholeNumber } from './arguments.ts'
import { withStore } from './withStore.ts'

/** `forkyard operator-log`: who has changed what by command, and how things stood before and after. */
export function operatorLogCommand(print: (text: string) => void, env = process.env) {
  return new Command('operator-log')
    .description(
      "operators' commands that changed something, newest first; FORKYARD_OPERATOR says who, where accounts are shared",
    )
    .option('--limit <n>', 'rows', toWholeNumber, 100)
    .action(async ({ limit }: { limit: number }) => {
      const entries = await withStore(readKeyConfig(env), ({ operatorLog }) =>
        operatorLog.list(limit),
      )
      printTable(print, {
        head: ['at', 'operator', 'command', 'subject', 'phase', 'detail'],
        rows: entries.map(({ atMs, operator, command, subject, phase, detail }) => [
          new Date(atMs).toISOString(),
          operator,
          command,
          subject,
          phase,
          detail,
        ]),
      })
    })
}
