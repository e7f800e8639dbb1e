import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import type { ForkEngine } from '../../simulator/containers/forkEngine.ts'
import { startSimulatord } from '../../simulator/containers/simulatord.ts'
import type { Environment } from '../config/readSettings.ts'
import { loadOptional } from '../runtime/loadOptional.ts'
import { toCount, toPort, toShare } from './arguments.ts'

type Log = (line: string) => void

/** `forkyard simulatord`: runs the simulation forks in containers, for gateways that must not see Docker. */
export function simulatordCommand(
  print: (text: string) => void,
  env: Environment = process.env,
): Command {
  const engines = new Option('--engine <name>', 'who runs the containers; Kubernetes: pods')
  return new Command('simulatord')
    .description(
      'own the Docker socket, or a service account of Kubernetes, and run simulation forks in containers (SIMULATORD_URL)',
    )
    .addOption(engines.choices(['docker', 'kubernetes']).default('docker'))
    .option('--image <name>', 'image of one anvil', 'forkyard-anvil')
    .option('--name <name>', 'label of its containers; one supervisor each', 'simulatord')
    .option('--port <number>', 'on the internal network of the forks', toPort, 8095)
    .option('--memory <MiB>', 'limit of one fork', toCount, 1024)
    .option('--cpus <number>', 'limit of one fork', toShare, 1)
    .option('--max-forks <number>', 'of all gateways together', toCount, 32)
    .option('--account <folder>', "of Kubernetes: the service account's", serviceAccount)
    .action(async (options: Options) => {
      const log = (line: string) => print(`simulatord: ${line}\n`)
      const forks = await openEngine(options, { env, log })
      const { port, maxForks } = options
      const { url, close } = await startSimulatord({ forks, log }, { port, maxForks })
      log(`listening on ${url}`)
      for (const signal of ['SIGTERM', 'SIGINT'] as const)
        process.once(signal, () => void close().then(() => process.exit(0)))
    })
}

type Options = {
  readonly engine: 'docker' | 'kubernetes'
  readonly image: string
  readonly name: string
  readonly port: number
  readonly memory: number
  readonly cpus: number
  readonly maxForks: number
  readonly account: string
}

/** Where the kubelet mounts it. */
const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount'

async function openEngine(
  { engine, image, name, memory, cpus, account }: Options,
  { env, log }: { readonly env: Environment; readonly log: Log },
): Promise<ForkEngine> {
  const limits = { image, memoryBytes: memory * 2 ** 20, cpus }
  // Each is loaded here: every command would wait for it.
  if (engine === 'docker') {
    const { default: Docker } = await loadOptional('dockerode', () => import('dockerode'))
    const { createDockerForks } = await import('../../simulator/containers/dockerForks.ts')
    return createDockerForks({ docker: new Docker() }, { name, limits })
  }
  const { createKubernetesApi } = await import('../../simulator/containers/kubernetesApi.ts')
  const { createPodForks } = await import('../../simulator/containers/podForks.ts')
  const read = (variable: string) => {
    const value = env[variable]
    if (!value)
      throw new Error(`${variable} is not set: the pod of docker/kubernetes/forks sets it`)
    return value
  }
  const host = read('KUBERNETES_SERVICE_HOST')
  const api = createKubernetesApi({ host, port: Number(read('KUBERNETES_SERVICE_PORT')), account })
  const namespace = readFileSync(join(account, 'namespace'), 'utf8').trim()
  const own = { name: read('POD_NAME'), uid: read('POD_UID'), ip: read('POD_IP') }
  return createPodForks({ api, log }, { name, namespace, own, limits })
}
