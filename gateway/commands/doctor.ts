import { Command } from 'commander'
import type { Chain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { examine } from '../lab/examine.ts'
import { labFiles } from '../lab/labFiles.ts'
import { toTable } from '../observe/printTable.ts'
import { examineChain } from '../routing/examineChain.ts'
import { version } from '../runtime/version.ts'
import { chainNames, readRpcUrls, toChain } from './arguments.ts'

type Print = (text: string) => void
type Options = { readonly chain?: Chain; readonly rpc?: string; readonly json?: boolean }

/** `forkyard doctor`: whether a lab can run here; with a chain, whether its exchanges are what their rows say. */
export function doctorCommand(print: Print, env: NodeJS.ProcessEnv = process.env) {
  return new Command('doctor')
    .description('whether a lab can run on this machine, and what to do where not; then 1')
    .option(
      '--chain <name>',
      `look at the exchanges of ${chainNames} instead, through a node of it: code, pools, prices, swaps`,
      toChain,
    )
    .option('--rpc <url>', "the node; default: the gateway's own setting, e.g. BASE_RPC_URL")
    .option('--json', 'all that was found, for a report')
    .action(({ chain, rpc, json }: Options) =>
      chain
        ? examineExchanges(print, { chain, rpc, json, env })
        : examineMachine(print, { env, json }),
    )
}

async function examineMachine(
  print: Print,
  { env, json }: { readonly env: NodeJS.ProcessEnv; readonly json?: boolean | undefined },
) {
  const findings = await examine({ files: labFiles(), env })
  const rows = findings.map(({ what, found, advice }) => [
    advice === undefined ? 'ok' : '!!',
    what,
    found,
    advice ?? '',
  ])
  print(json ? toJson({ findings }) : `${toTable({ rows })}\n`)
  if (findings.some(({ advice }) => advice !== undefined)) process.exitCode = 1
}

const marks = { right: 'ok', unknown: '??', missing: '!!', different: '!!' } as const

async function examineExchanges(
  print: Print,
  {
    chain,
    rpc,
    json,
    env,
  }: {
    readonly chain: Chain
    readonly rpc?: string | undefined
    readonly json?: boolean | undefined
    readonly env: NodeJS.ProcessEnv
  },
) {
  const rpcUrls = readRpcUrls({ chain, rpc }, env)
  const chainClient = createChainClient({ chain, rpcUrls, trust: 'shown' })
  try {
    const { blockNumber, findings } = await examineChain(chainClient, { chain })
    const rows = findings.map(({ dex, check, verdict, found }) => [
      marks[verdict],
      dex,
      check,
      verdict,
      found,
    ])
    const report = { chain: chain.name, block: String(blockNumber), findings }
    print(json ? toJson(report) : `${toTable({ rows })}\n`)
    if (findings.some(({ verdict }) => marks[verdict] === '!!')) process.exitCode = 1
  } finally {
    chainClient.close()
  }
}

const toJson = (report: object) => `${JSON.stringify({ forkyard: version, ...report }, null, 2)}\n`
