import { Command } from 'commander'
import { labDown, labUp, runLab } from './commands.ts'
import { labFiles } from './labFiles.ts'

/** `forkyard lab`, `lab-up` and `lab-down`. */
export function labCommands(print: (text: string) => void): readonly Command[] {
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
  return [
    new Command('lab')
      .description('run the lab in the foreground; Ctrl-C stops everything')
      .option('--detached', 'as started by lab-up')
      .option(
        '--attached',
        'stop when standard input ends, as it does when whoever started it dies',
      )
      .option(...packOption)
      .action((options: { pack?: string; attached?: boolean }) =>
        runLab({ ...lab(options), untilInputEnds: options.attached }),
      ),
    new Command('lab-up')
      .description('start the lab in the background, return when it is ready')
      .option(...packOption)
      .action((options: { pack?: string }) => labUp(lab(options))),
    new Command('lab-down').description('stop the lab of this folder').action(() => labDown(lab())),
  ]
}
