import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { nameChains } from './chain/nameChains.ts'
import { auditCommand } from './commands/audit.ts'
import { backupCommands } from './commands/backup.ts'
import { buyCommand } from './commands/buy.ts'
import { deployCommand } from './commands/deploy.ts'
import { keysCommand } from './commands/keys.ts'
import { ledgerCommand } from './commands/ledger.ts'
import { mcpCommand } from './commands/mcp.ts'
import { operatorLogCommand } from './commands/operatorLog.ts'
import { poolsCommand } from './commands/pools.ts'
import { relayCommand } from './commands/relay.ts'
import { simulatordCommand } from './commands/simulatord.ts'
import { describeSettings } from './config/settings.ts'
import { version } from './runtime/version.ts'

/** `forkyard` with all its commands. */
export async function createProgram(print: (text: string) => void): Promise<Command> {
  const program = new Command('forkyard')
    .description(`A simulation lab and swap gateway for ${nameChains()}`)
    .version(version)

  // A production image is built without the lab: its commands do not exist there.
  if (existsSync(join(import.meta.dirname, 'lab'))) {
    const { labCommands } = await import('./lab/labCommands.ts')
    const { packCommand } = await import('./commands/pack.ts')
    const { forkCommand } = await import('./commands/fork.ts')
    const { doctorCommand } = await import('./commands/doctor.ts')
    const { containerCommands } = await import('./lab/containers/containerCommands.ts')
    // The gateway reads the environment as it loads.
    const serve = () => import('./main.ts').then(() => undefined)
    const containers = containerCommands({ print, serve })
    const more = [doctorCommand, packCommand, forkCommand].map((create) => create(print))
    for (const command of [...labCommands(print), ...more]) program.addCommand(command)
    // For compose files, not for people.
    for (const command of containers) program.addCommand(command, { hidden: true })
  }
  program.addCommand(keysCommand(print))
  program.addCommand(operatorLogCommand(print))
  program.addCommand(ledgerCommand(print))
  program.addCommand(buyCommand(print))
  program.addCommand(deployCommand(print))
  program.addCommand(relayCommand(print))
  program.addCommand(auditCommand(print))
  program.addCommand(simulatordCommand(print))
  program.addCommand(mcpCommand())
  for (const command of backupCommands(print)) program.addCommand(command)
  program.addCommand(poolsCommand(print))
  program
    .command('start')
    .description('run the gateway in the foreground, on the settings of the environment')
    .action(async () => void (await import('./main.ts')))
  program
    .command('config')
    .description('list every setting with its default')
    .action(() => {
      for (const { name, fallback, description } of describeSettings())
        print(`${name}=${fallback}  # ${description}\n`)
    })
  return program
}
