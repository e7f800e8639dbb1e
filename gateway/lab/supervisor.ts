import { rmSync } from 'node:fs'
import { endMarked } from '../../simulator/processes.ts'
import { toReason } from '../observe/toReason.ts'
import { launchGateway } from './gatewayProcess.ts'
import type { LabParameters } from './labFiles.ts'
import { findSupervisor, makeLabFolder } from './labFiles.ts'
import { createLabProgress } from './labProgress.ts'

export type Lab = { close(): Promise<void> }

/**
 * Starts the whole lab in this process's care: chains, then the gateway as a process of its own.
 * Leaves no process and no file behind when it fails or is closed.
 */
export async function startLab(parameters: LabParameters): Promise<Lab> {
  const { files } = parameters
  const running = findSupervisor(files)
  if (running)
    throw new Error(
      `a lab is already running here (process ${running.pid}); stop it with forkyard lab-down (make lab-down in a checkout)`,
    )
  const closers: (() => Promise<void>)[] = []
  const progress = createLabProgress(parameters)
  const close = async () => {
    for (const closer of closers.toReversed()) await closer()
    closers.length = 0
    await endMarked(files.marker)
  }

  await endMarked(files.marker) // what a killed supervisor left
  makeLabFolder(files)
  try {
    const launched = launchGateway(parameters)
    // The rest of this process loads beside it.
    const { bringUpLab } = await import('./bringUpLab.ts')
    await bringUpLab(parameters, { launched, progress, closers })
  } catch (error) {
    await close()
    progress.set('failed', toReason(error))
    throw error
  }
  return {
    async close() {
      await close()
      rmSync(files.dir, { recursive: true, force: true })
    },
  }
}
