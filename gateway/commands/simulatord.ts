import { Command } from 'commander'
import { createDockerForks } from '../../simulator/containers/dockerForks.ts'
import { startSimulatord } from '../../simulator/containers/simulatord.ts'
import { loadOptional } from '../runtime/loadOptional.ts'

/** `forkyard simulatord`: runs the simulation forks in containers, for gateways that must not see Docker. */
export function simulatordCommand(print: (text: string) => void): Command {
  return new Command('simulatord')
    .description('own the Docker socket and run simulation forks in containers (SIMULATORD_URL)')
    .option('--image <name>', 'image of one anvil', 'forkyard-anvil')
    .option('--name <name>', 'label of its containers; one supervisor each', 'simulatord')
    .option('--port <number>', 'on the internal network of the forks', Number, 8095)
    .option('--memory <MiB>', 'limit of one fork', Number, 1024)
    .option('--cpus <number>', 'limit of one fork', Number, 1)
    .option('--max-forks <number>', 'of all gateways together', Number, 32)
    .action(async ({ image, name, port, memory, cpus, maxForks }: Options) => {
      // Loaded here: every command would wait for it.
      const { default: Docker } = await loadOptional('dockerode', () => import('dockerode'))
      const limits = { image, memoryBytes: memory * 2 ** 20, cpus }
      const forks = await createDockerForks({ docker: new Docker() }, { name, limits })
      const log = (line: string) => print(`simulatord: ${line}\n`)
      const { url, close } = await startSimulatord({ forks, log }, { port, maxForks })
      log(`listening on ${url}`)
      for (const signal of ['SIGTERM', 'SIGINT'] as const)
        process.once(signal, () => void close().then(() => process.exit(0)))
    })
}

type Options = {
  readonly image: string
  readonly name: string
  readonly port: number
  readonly memory: number
  readonly cpus: number
  readonly maxForks: number
}
