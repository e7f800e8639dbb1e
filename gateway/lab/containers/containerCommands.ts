import { Command } from 'commander'
import { getChain } from '../../chain/chains.ts'
import { createPages, readOrigins } from '../../http/pages.ts'
import { labChains } from '../chains.ts'
import { labFiles } from '../labFiles.ts'
import { openRpcGate } from './rpcGate.ts'
import { runChain } from './runChain.ts'
import { runGateway } from './runGateway.ts'
import { chainPort, doorsOf, hostOf, openSharedFiles } from './sharedFiles.ts'

/** The parts of a lab of containers, one command for each: docker/compose.yaml runs them. */
export function containerCommands({
  print,
  serve,
}: {
  readonly print: (text: string) => void
  /** Runs the gateway in this process. */
  readonly serve: () => Promise<void>
}): readonly Command[] {
  const { dir } = labFiles()
  const stopped = () =>
    new Promise<void>((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
    })
  return [
    new Command('lab-chain')
      .description('one chain of a lab of containers')
      .argument('<chainId>', 'chain', Number)
      .action(async (chainId: number) => {
        if (!getChain(chainId)) throw new Error(`there is no chain ${chainId}`)
        const end = await runChain({ chainId, dir, env: process.env, print, stopped: stopped() })
        process.exit(end === 'stopped' ? 0 : 1)
      }),
    new Command('lab-gateway').description('the gateway of a lab of containers').action(async () =>
      runGateway({
        chains: await labChains(process.env),
        dir,
        env: process.env,
        print,
        serve,
      }),
    ),
    new Command('lab-rpc')
      .description("the doors to a lab's chains: a filtered one, and one for tests with a token")
      .action(async () => {
        const token = openSharedFiles(dir).secret('admin-token')
        const pages = createPages({ origins: readOrigins(process.env['LAB_ORIGINS']) })
        const gates = (await labChains(process.env)).flatMap((chain) => {
          const { open, admin } = doorsOf(chain)
          const common = { upstreamUrl: `http://${hostOf(chain)}:${chainPort}`, host: '0.0.0.0' }
          return [
            openRpcGate({ ...common, port: open, pages }),
            openRpcGate({ ...common, port: admin, token }),
          ]
        })
        const opened = await Promise.all(gates)
        print('the doors are open\n')
        await stopped()
        await Promise.all(opened.map((gate) => gate.close()))
        process.exit(0)
      }),
  ]
}
