#!/usr/bin/env node
import { Command } from 'commander'
import { buyCommand } from './commands/buy.ts'
import { keysCommand } from './commands/keys.ts'
import { packCommand } from './commands/pack.ts'
import { relayCommand } from './commands/relay.ts'
import { simulatordCommand } from './commands/simulatord.ts'
import { describeSettings } from './config.ts'
import { labDown, labUp, runLab } from './lab/commands.ts'
import { labFiles } from './lab/labFiles.ts'
import { version } from './version.ts'

const print = (text: string) => void process.stdout.write(text)
/** `--pack` says what FORKYARD_PACK says. */
const lab = ({ pack }: { pack?: string } = {}) => ({
  files: labFiles(),
  env: pack ? { ...process.env, FORKYARD_PACK: pack } : process.env,
  print,
})
const packOption = [
  '--pack <file>',
  'fork the chains that this pack holds, without a network',
] as const

const program = new Command('forkyard')
  .description('A simulation lab and swap gateway for Base and Arbitrum One')
  .version(version)

program
  .command('lab')
  .description('run the lab in the foreground; Ctrl-C stops everything')
  .option('--detached', 'as started by lab-up')
  .option('--attached', 'stop when standard input ends, as it does when whoever started it dies')
  .option(...packOption)
  .action((options: { pack?: string; attached?: boolean }) =>
    runLab({ ...lab(options), untilInputEnds: options.attached }),
  )
program
  .command('lab-up')
  .description('start the lab in the background, return when it is ready')
  .option(...packOption)
  .action((options: { pack?: string }) => labUp(lab(options)))
program
  .command('lab-down')
  .description('stop the lab of this folder')
  .action(() => labDown(lab()))
program.addCommand(keysCommand(print))
program.addCommand(buyCommand(print))
program.addCommand(relayCommand(print))
program.addCommand(simulatordCommand(print))
program.addCommand(packCommand(print))
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
  process.stderr.write(`forkyard: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
