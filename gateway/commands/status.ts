import { Command } from 'commander'
import { describeSettings } from '../config/settings.ts'
import { readGatewayStatus, showStandings } from '../ops/gatewayStatus.ts'

type Options = { readonly url?: string; readonly json?: boolean }

/** `forkyard status`: a running gateway, of production too, by what its operators' listener shows without a token. */
export function statusCommand(print: (text: string) => void, env: NodeJS.ProcessEnv = process.env) {
  const settings = new Map(describeSettings().map(({ name, fallback }) => [name, fallback]))
  const [host, port] = ['OPS_HOST', 'OPS_PORT'].map((name) => env[name] || settings.get(name))
  const own = `http://${host}:${port}`
  return new Command('status')
    .description(
      'how a running gateway is: each chain, how far it is followed, what its nodes were asked, and what a month of that comes to; 1 where it is not ready',
    )
    .option('--url <url>', "the operators' listener; default: the one of OPS_HOST and OPS_PORT")
    .option('--json', 'the same for programs')
    .action(async ({ url = own, json }: Options) => {
      const status = await readGatewayStatus(url)
      print(json ? `${JSON.stringify(status, null, 2)}\n` : show(status))
      if (!status.isReady) process.exitCode = 1
    })
}

function show({ isReady, troubles, chains }: Awaited<ReturnType<typeof readGatewayStatus>>) {
  const lines = [isReady ? 'ready' : 'not ready', ...troubles]
  return `${lines.join('\n')}\n${showStandings(chains)}`
}
