import { existsSync } from 'node:fs'
import { Command, Option } from 'commander'
import { labDown, labUp, resetLab, runLab } from './commands.ts'
import { controlCommands } from './controlCommands.ts'
import { keepEveryMs } from './keepEvery.ts'
import { findSupervisor, givenVariables, labFiles, readManifest } from './labFiles.ts'
import { printLogs } from './printLogs.ts'
import { type StatusFormat, showStatus } from './showStatus.ts'

/** `forkyard lab` and what one does to a running one, `lab-up` and `lab-down`. */
export function labCommands(print: (text: string) => void): readonly Command[] {
  const lab = (options: StartOptions = {}) => ({
    files: labFiles(),
    env: { ...process.env, ...toVariables(options) },
    print,
  })
  const packOption = [
    '--pack <file>',
    'fork the chains that this pack holds, without a network',
  ] as const
  const stateOption = [
    '--state <dir>',
    'keep chains and database there, and go on from what is kept: when the lab stops, and every ' +
      `${keepEveryMs / 1000} s, which is what a killed lab may lose; snapshots are not kept`,
  ] as const
  const running = new Command('lab')
    .description('run the lab in the foreground; Ctrl-C stops everything')
    .addOption(new Option('--detached', 'as started by lab-up').hideHelp())
    .option('--attached', 'stop when standard input ends, as it does when whoever started it dies')
    .option(...packOption)
    .option(...stateOption)
    .action((options: StartOptions & { attached?: boolean }) =>
      runLab({ ...lab(options), untilInputEnds: options.attached }),
    )
  for (const command of [...labTools(print), ...controlCommands({ print, readManifest: ready })])
    running.addCommand(command)
  return [
    running,
    new Command('lab-up')
      .description('start the lab in the background, return when it is ready')
      .option(...packOption)
      .option(...stateOption)
      .action((options: StartOptions) => labUp(lab(options))),
    new Command('lab-down').description('stop the lab of this folder').action(() => labDown(lab())),
  ]
}

type StartOptions = { readonly pack?: string; readonly state?: string }

/** `--pack` says what FORKYARD_PACK says, `--state` what FORKYARD_STATE does. */
const toVariables = ({ pack, state }: StartOptions) => ({
  ...(pack && { [givenVariables.pack]: pack }),
  ...(state && { [givenVariables.state]: state }),
})

/** The manifest of this folder's lab, which may be one of containers: that has no status of processes. */
function ready() {
  const files = labFiles()
  const isOfContainers = !existsSync(files.status) && existsSync(files.manifest)
  if (!isOfContainers && findSupervisor(files)?.phase !== 'ready')
    throw new Error('no lab is ready here')
  return readManifest(files)
}

function labTools(print: (text: string) => void): readonly Command[] {
  const formats: readonly StatusFormat[] = ['table', 'json', 'env']
  return [
    new Command('status')
      .description('what the lab of this folder is; 1 where it is not ready')
      .addOption(new Option('-o, --output <format>').choices(formats).default('table'))
      .action(({ output }: { readonly output: StatusFormat }) => {
        const { text, isReady } = showStatus(labFiles(), { format: output })
        print(text)
        if (!isReady) process.exitCode = 1
      }),
    new Command('logs')
      .description('what the supervisor and the gateway of this lab have written last')
      .option('-n, --lines <n>', 'of each', Number, 50)
      .action(({ lines }: { readonly lines: number }) => printLogs(labFiles(), { lines, print })),
    new Command('reset')
      .description(
        'stop the lab of this folder, forget what it keeps, and start it anew in the background',
      )
      .action(() => resetLab({ files: labFiles(), env: process.env, print })),
  ]
}
