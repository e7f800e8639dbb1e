import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { endMarked } from '../../simulator/processes.ts'
import type { LabFiles, LabParameters } from './labFiles.ts'
import { type Lab, startLab } from './supervisor.ts'

/** `forkyard lab`: runs the lab in the foreground until SIGINT, SIGTERM or SIGHUP, or the end of its input. */
export async function runLab({
  untilInputEnds = false,
  ...parameters
}: LabParameters & { readonly untilInputEnds?: boolean | undefined }) {
  const { files, print } = parameters
  const stopped = new Promise<'stopped'>((resolve) => {
    // A terminal's Ctrl-C arrives twice, from the terminal and from npm: the second changes nothing.
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(name, () => resolve('stopped'))
    if (untilInputEnds) process.stdin.on('close', () => resolve('stopped')).resume()
  })
  // Every child inherits the mark, by which a later lab-up or lab-down finds what a kill -9 left.
  process.env['FORKYARD_LAB'] = files.dir
  const starting = startLab(parameters)
  const lab = await Promise.race([starting, stopped])
  if (lab === 'stopped') {
    await abandonStart(starting, files)
    return
  }
  await stopped
  print('stopping the lab\n')
  await lab.close()
}

/** Takes a start its processes away until it has given up: between two sweeps it may start another. */
async function abandonStart(starting: Promise<Lab>, files: LabFiles) {
  let settled = false
  const ended = starting
    .then(
      (lab) => lab.close(),
      () => undefined, // it fails because we end its processes
    )
    .finally(() => {
      settled = true
    })
  while (!settled) {
    await endMarked(files.marker)
    await Promise.race([ended, delay(50)])
  }
  await endMarked(files.marker)
  rmSync(files.dir, { recursive: true, force: true })
}
