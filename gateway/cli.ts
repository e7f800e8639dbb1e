#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { backupCommands } from './commands/backup.ts'
import { buyCommand } from './commands/buy.ts'
import { keysCommand } from './commands/keys.ts'
import { relayCommand } from './commands/relay.ts'
import { simulatordCommand } from './commands/simulatord.ts'
import { maskUrls } from './maskUrls.ts'
import { describeSettings } from './settings.ts'
import { version } from './version.ts'

const print = (text: string) => void process.stdout.write(text)
const program = new Command('forkyard')
  .description('A simulation lab and swap gateway for Base and Arbitrum One')
  .version(version)

// A production image is built without the lab: its commands do not exist there.
if (existsSync(join(import.meta.dirname, 'lab'))) {
  const { labCommands } = await import('./lab/labCommands.ts')
  const { packCommand } = await import('./commands/pack.ts')
  const { containerCommands } = await import('./lab/containers/containerCommands.ts')
  for (const command of [...labCommands(print), packCommand(print), ...containerCommands(print)])
    program.addCommand(command)
}
program.addCommand(keysCommand(print))
program.addCommand(buyCommand(print))
program.addCommand(relayCommand(print))
program.addCommand(simulatordCommand(print))
for (const command of backupCommands(print)) program.addCommand(command)
program
  .command('config')
  .description('list every setting with its default')
  .action(() => {
    for (const { name, fallback, description } of describeSettings())
      print(`${name}=${fallback}  # ${description}\n`)
  })

try {
  await program.parseAsync()
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`forkyard: ${maskUrls(reason)}\n`)
  process.exit(1)
}
