import { existsSync } from 'node:fs'
import { Command, Option } from 'commander'
import { controlCommands } from './controlCommands.ts'
import { findSupervisor, labFiles, readManifest } from './labFiles.ts'
import { printLogs } from './printLogs.ts'
import { type StatusFormat, showStatus } from './showStatus.ts'
import { labOf, type StartOptions, withStartOptions } from './startOptions.ts'

/** `forkyard lab`, and under it what one does to a running one. */
export function labCommand(print: (text: string) => void): Command {
  const running = withStartOptions(
    new Command('lab')
      .description('run the lab in the foreground; Ctrl-C stops everything')
      .addOption(new Option('--detached', 'as started by lab-up').hideHelp())
      .option(
        '--attached',
        'stop when standard input ends, as it does when whoever started it dies',
      ),
  ).action(async (options: StartOptions & { attached?: boolean }) => {
    const { runLab } = await import('./runLab.ts')
    await runLab({ ...labOf(options, print), untilInputEnds: options.attached })
  })
  for (const command of [...labTools(print), ...controlCommands({ print, readManifest: ready })])
    running.addCommand(command)
  return running
}

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
      .addOption(
        new Option('-o, --output <format>', 'env: lines for a shell')
          .choices(formats)
          .default('table'),
      )
      .action(async ({ output }: { readonly output: StatusFormat }) => {
        const { text, isReady } = showStatus(labFiles(), { format: output })
        print(text)
        if (!isReady) process.exitCode = 1
        if (!isReady || output !== 'table') return
        const { readGatewayStatus, showStandings } = await import('../ops/gatewayStatus.ts')
        print(showStandings((await readGatewayStatus(ready().services.ops)).chains))
      }),
    new Command('logs')
      .description('what the supervisor and the gateway of this lab have written last')
      .option('-n, --lines <n>', 'lines of each log', Number, 50)
      .action(({ lines }: { readonly lines: number }) => printLogs(labFiles(), { lines, print })),
    new Command('reset')
      .description(
        'stop the lab of this folder, forget what it keeps, and start it anew in the background',
      )
      .action(async () => {
        const { resetLab } = await import('./resetLab.ts')
        await resetLab(labOf({}, print))
      }),
  ]
}
