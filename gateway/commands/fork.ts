import { Command } from 'commander'
import type { Chain } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'
import { startGuardedFork } from '../lab/startGuardedFork.ts'
import { chainNames, readRpcUrls, toChain, toPort, toWholeNumber } from './arguments.ts'

type Options = {
  readonly chain: Chain
  readonly rpc?: string
  readonly port: number
  readonly blockTime?: number
}

/** Resolves with the first signal that asks a process to end. */
function untilSignal(): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
}

/**
 * `forkyard fork`: a chain to try things on, as it is now, for a gateway or a wallet. Prints the settings of
 * a gateway that follows it, but for `…_FORK_ORIGIN_URL`, the node, whose URL may hold a key.
 */
export function forkCommand(print: (text: string) => void, env: NodeJS.ProcessEnv = process.env) {
  return new Command('fork')
    .description('a mutable fork of a chain on loopback, in the foreground; Ctrl-C ends it')
    .requiredOption('--chain <name>', `which chain: ${chainNames}`, toChain)
    .option('--rpc <url>', "a node of it; default: the gateway's own setting, e.g. BASE_RPC_URL")
    .option('--port <n>', 'where it listens', toPort, 8545)
    .option(
      '--block-time <secs>',
      'seconds between blocks; default: one for each transaction',
      toWholeNumber,
    )
    .action(async ({ chain, rpc, port, blockTime }: Options) => {
      const [upstreamUrl = ''] = readRpcUrls({ chain, rpc }, env)
      const args = blockTime === undefined ? [] : ['--block-time', String(blockTime)]
      const ended = untilSignal()
      const fork = await startGuardedFork({ chain, upstreamUrl, port, args })
      print('FORKYARD_MODE=forked\n')
      print(`${settingName(chain, 'RPC_URL')}=${fork.rpcUrl}\n`)
      print(`${settingName(chain, 'FORK_ORIGIN_BLOCK')}=${fork.forkBlock}\n`)
      await ended
      await fork.close()
    })
}
