import { Command } from 'commander'
import type { Target } from '../mcp/connect.ts'
import { loadOptional } from '../runtime/loadOptional.ts'
import { toWholeNumber } from './arguments.ts'

type Options = {
  readonly lab: string
  readonly routing?: string
  readonly meta?: string
  readonly relay?: string
  readonly http?: number
  readonly allowSend: boolean
}

const sdkName = '@modelcontextprotocol/server'

/** `forkyard mcp`: tools for agents, over standard input and output or HTTP. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description(
      'serve MCP tools for agents on standard input and output; of a lab, or of any gateway with --routing, --meta, --relay and FORKYARD_API_KEY',
    )
    .option('--lab <url>', "a lab's operators' listener", 'http://127.0.0.1:8090')
    .option('--routing <url>', 'routing service of a gateway that is no lab')
    .option('--meta <url>', 'its meta-aggregator')
    .option('--relay <url>', 'its relay')
    .option('--http <port>', 'serve streamable HTTP on this port of 127.0.0.1', toWholeNumber)
    .option('--allow-send', 'outside a lab: have tools that send transactions, too', false)
    .action(async ({ http: port, allowSend, ...options }: Options) => {
      const target = toTarget(options)
      // Loaded here: it is large, every command would wait for it.
      const sdk = await loadOptional(sdkName, () => import('@modelcontextprotocol/server'))
      if (port === undefined) {
        const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
        const { createMcpServer } = await import('../mcp/mcpServer.ts')
        serveStdio(() => createMcpServer(sdk, { target, allowSend }))
        return
      }
      const { serveHttp } = await import('../mcp/serveHttp.ts')
      const { url, close } = await serveHttp(sdk, { target, allowSend, port })
      // Standard output is the protocol's, also where nothing speaks it.
      process.stderr.write(`forkyard mcp: ${url}\n`)
      for (const signal of ['SIGTERM', 'SIGINT'] as const)
        process.once(signal, () => void close().then(() => process.exit(0)))
    })
}

function toTarget({ lab, routing, meta, relay }: Omit<Options, 'http' | 'allowSend'>): Target {
  if (!routing && !meta && !relay) return { kind: 'lab', opsUrl: lab }
  if (!routing || !meta || !relay)
    throw new Error('a gateway that is no lab needs --routing, --meta and --relay')
  const apiKey = process.env['FORKYARD_API_KEY']
  return { kind: 'gateway', services: { routing, meta, relay }, apiKey }
}
